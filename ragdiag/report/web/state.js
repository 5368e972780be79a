// What is on the screen, as the part of the address behind #: a view can be sent to a colleague.
//   #/   #/list?code=A1&score=recall@5:0-0.5&sort=-recall@5   #/case/ID?code=A1

const FILTERS = ["code", "family", "flag", "slice", "score", "judge", "q", "sort"];
const noFilters = () => ({ code: "", family: "", flag: "", slice: null, score: null, judge: "", q: "", sort: "" });

const plainly = (text) => encodeURIComponent(text).replace(/%(40|3A|2C)/g, decodeURIComponent);
const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

// A dimension and its value, each encoded by itself, since both may hold a colon.
const sliceText = ([dimension, value]) => `${encodeURIComponent(dimension)}:${encodeURIComponent(value)}`;
function readSlice(text) {
  const colon = text.indexOf(":");
  return colon < 0 ? null : [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
}
const bound = (value) => Number.isFinite(value) ? String(value) : "";
const scoreText = ({ name, low, high, status }) => `${name}:${status ? status.replace(" ", "_") : `${bound(low)}-${bound(high)}`}`;
function readScore(text) {
  const number = String.raw`-?\d*\.?\d+(?:e[-+]?\d+)?`;
  const found = new RegExp(`^(.+):(?:(${number})?-(${number})?|(absent|not_applicable|unscored|error))$`, "i").exec(text);
  if (!found) return null;
  const [, name, low, high, status] = found;
  return { name, low: low === undefined ? -Infinity : Number(low), high: high === undefined ? Infinity : Number(high), status: status?.replace("_", " ") ?? "" };
}

function readState(hash) {
  const [path, ...rest] = hash.replace(/^#/, "").split("?");
  const given = new URLSearchParams(rest.join("?"));
  const filters = noFilters();
  for (const name of FILTERS) if (given.has(name)) filters[name] = given.get(name);
  filters.slice = filters.slice ? readSlice(filters.slice) : null;
  filters.score = filters.score ? readScore(filters.score) : null;
  if (path.startsWith("/case/")) return { view: "case", id: decoded(path.slice(6)), filters };
  return { view: path.startsWith("/list") ? "list" : "landing", id: "", filters };
}
function stateText({ view, id, filters }) {
  const texts = { ...filters, slice: filters.slice && sliceText(filters.slice), score: filters.score && scoreText(filters.score) };
  const asked = FILTERS.filter((name) => texts[name]).map((name) => `${name}=${plainly(texts[name])}`).join("&");
  const path = view === "case" ? "/case/" + encodeURIComponent(id) : view === "list" ? "/list" : "/";
  return "#" + path + (asked && view !== "landing" ? "?" + asked : "");
}
