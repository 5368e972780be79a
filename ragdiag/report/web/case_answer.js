// The answer of a case: its claims underlined by verdict, its citations, and its parts.

const VERDICTS = {
  supported: ["✓", "supported"], partial: ["◐", "partly supported"], contradicted: ["✗", "contradicted"],
  not_found: ["∅", "not found"], undecided: ["?", "undecided"],
};
const CITED = { right: "✓ right", wrong: "✗ wrong", irrelevant: "○ irrelevant: the others support alone", dangling: "⚠ dangling: no such passage was given", undecided: "? undecided" };
const PARTS = { ok: "✓ right", partial: "◐ partly right", wrong: "✗ wrong", unscored: "? not told" };

const caseVerdict = (claim) => claim.label in VERDICTS ? claim.label : "undecided";
const caseLabel = (claim) => claim.label === null ? "undecided" + (claim.unscored && claim.unscored !== "undecided" ? ` (${claim.unscored.replaceAll("_", " ")})` : "") : VERDICTS[claim.label]?.[1] ?? claim.label;

function caseAnswer(record) {
  const { answer, claims, citations } = record;
  const box = caseSection("answer", "The answer");
  if (answer.error) box.append(make("p", { class: "alert", dir: "auto" }, make("b", {}, "the pipeline failed: "), ...pieces(answer.error)));
  if (answer.absent) box.append(make("p", { class: "missing" }, answer.absent + "."));
  if (answer.text) {
    const ranges = [
      ...claims.flatMap((one, n) => one.span ? [caseClaimMark(one, n)] : []),
      ...citations.flatMap((one, n) => one.span ? [{ start: one.span[0], end: one.span[1], kind: "cite " + one.status, link: one.at === null ? "d" + n : "p" + one.at }] : []),
    ];
    box.append(...caseCut(answer.cut, passageText(answer.text, 0, answer.text.length, ranges)));
  }
  if (claims.length) box.append(caseLegend(claims), caseClaims(record));
  if (citations.length) box.append(caseCitations(record));
  if (record.parts.length) box.append(caseTable(["part", "verdict", "the reference", "the answer", "why"], record.parts.map(([name, status, reason, wanted, said]) => make("tr", {},
    make("th", { scope: "row" }, name), make("td", {}, PARTS[status] ?? status), make("td", {}, bdi(wanted ?? "")), make("td", {}, bdi(said ?? "")), make("td", {}, bdi(reason)))), "The parts of the answer"));
  return box;
}
function caseClaimMark(claim, n) {
  const verdict = caseVerdict(claim);
  const after = make("button", { type: "button", class: "tag " + verdict, "aria-label": `claim ${n + 1}: ${caseLabel(claim)}; show ${claim.quoted ? "its quote" : "what is known of it"}` }, `${n + 1} ${VERDICTS[verdict][0]}`);
  after.addEventListener("click", () => caseGo(after.closest(".case").querySelector(claim.quoted ? `.passages .tag[data-link="c${n}"]` : `.claims [data-link="c${n}"]`)));
  link(after, "c" + n);
  return { start: claim.span[0], end: claim.span[1], kind: "claim " + verdict, link: "c" + n, after };
}
function caseLegend(claims) {
  const present = Object.keys(VERDICTS).filter((verdict) => claims.some((one) => caseVerdict(one) === verdict));
  return make("p", { class: "legend" }, ...present.flatMap((verdict) => [make("mark", { class: "claim " + verdict }, VERDICTS[verdict].join(" ")), " "]));
}
// A claim each, in words: its verdict, its quote and where that stands, and why.
function caseClaims(record) {
  return make("ol", { class: "claims" }, ...record.claims.map((one, n) => {
    const row = make("li", { tabindex: "-1" }, make("b", { class: "verdict " + caseVerdict(one) }, VERDICTS[caseVerdict(one)][0] + " " + caseLabel(one)), " ",
      bdi(one.text), ...(one.wording && one.wording !== one.text ? [" (read as: ", bdi(one.wording), ")"] : []));
    link(row, "c" + n);
    if (one.quote) row.append(make("p", { class: "said", dir: "auto" }, ...pieces(`“${one.quote}”`)));
    row.append(make("p", { class: "facts" }, ...caseClaimFacts(record, one, n)));
    if (!one.span) row.append(make("p", { class: "missing" }, "It stands in no part of the answer that is shown."));
    return row;
  }));
}
function caseClaimFacts(record, one, n) {
  const facts = [];
  const say = (...parts) => facts.push(...(facts.length ? [" · "] : []), ...parts);
  if (one.quote && !one.quoted) say(one.passage === null ? "its quote is of no passage" : "its quote is not in the text shown of ", casePassageLink(record, one.at, one.passage));
  else if (one.quote) say("quoted from ", casePassageLink(record, one.at, one.passage, "c" + n));
  if (one.backed.length) say(one.joint ? "supported together by " : "supported by ", ...one.backed.flatMap((at, m) => [...(m ? [", "] : []), casePassageLink(record, at)]));
  if (one.carries) say("it carries the answer");
  if (one.reason) say(bdi(one.reason));
  if (one.score !== null && one.basis === "judged") say(`probability of supported ${caseNumberText(one.score)}`);
  if (one.basis) say(`by ${{ deterministic: "code", judged: "a judge", labels: "labels" }[one.basis] ?? one.basis}`);
  if (one.cited.length) say("cites ", ...one.cited.flatMap((at, m) => [...(m ? [", "] : []), at === null ? "what was not given" : casePassageLink(record, at)]), ...(one.citation ? [`: ${one.citation}`] : []));
  else if (one.exempt) say("needs no citation: ", bdi(one.exempt.replaceAll("_", " ")));
  else if (one.needs) say("cites nothing");
  return facts;
}
function caseCitations(record) {
  return caseTable(["citation", "passage", "verdict", "speaks for"], record.citations.map((one, n) => {
    const row = make("tr", { class: one.status }, make("th", { scope: "row" }, bdi(one.marker || "(a span that was given)")), make("td", {}, casePassageLink(record, one.at, one.passage)),
      make("td", {}, CITED[one.status] ?? one.status), make("td", {}, one.whole ? "the whole answer" : "where it stands"));
    link(row, one.at === null ? "d" + n : "p" + one.at);
    return row;
  }), "Each citation, and whether it is right");
}
