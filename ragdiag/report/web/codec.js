// Packed data: base64 of raw deflate; in the page's own elements, or in shards beside it.

const codec = (() => {
  function bytes(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text), found = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) found[i] = binary.charCodeAt(i);
    return found;
  }
  async function unpack(text) {
    const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // A shard is a script, since a page from disk may read no file; the policy lets no other one in.
  const own = /^report\/cases-\d{5,}\.js$/;
  const allowed = (url) => { if (!own.test(url)) throw new TypeError("no shard of this page: " + url); return url; };
  let policy = null;
  const named = (number) => `report/cases-${String(number).padStart(5, "0")}.js`;
  const waiting = new Map();
  window.ragdiagShard = (number, digest, text) => waiting.get(number)?.(digest, text);

  function shard(number, digest) {
    policy ??= window.trustedTypes?.createPolicy("ragdiag-shards", { createScriptURL: allowed }) ?? { createScriptURL: allowed };
    const place = named(number);
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const ended = (settle) => { waiting.delete(number); script.remove(); settle(); };
      waiting.set(number, (found, text) => ended(() => found === digest ? resolve(text.split(" ")) : reject(new Error(
        `${place} belongs to another run than this page. Write both again: ragdiag report DIR.`))));
      script.onerror = () => ended(() => reject(new Error(
        `${place} is not there. The details of this many queries stand in the folder “report”, which belongs beside this page: copy it along with the page, or write both again: ragdiag report DIR.`)));
      script.onload = () => waiting.has(number) && ended(() => reject(new Error(`${place} is damaged. Write it again: ragdiag report DIR.`)));
      script.src = policy.createScriptURL(place);
      document.head.append(script);
    });
  }
  return { unpack, shard };
})();

// What was asked for last stays at hand, so many things and no more; what failed is asked anew.
function remembering(most, make) {
  const kept = new Map();
  return (key) => {
    const found = kept.get(key) ?? make(key);
    kept.delete(key);
    kept.set(key, found);
    found.catch(() => kept.delete(key));
    if (kept.size > most) kept.delete(kept.keys().next().value);
    return found;
  };
}
