// The number of a wrong answer: both calculations as formulas, and the cells that they are of.

const MATH = "http://www.w3.org/1998/Math/MathML";
function math(tag, ...children) {
  const element = document.createElementNS(MATH, tag);
  element.append(...children);
  return element;
}
const SIGNS = { "+": "+", "-": "−", "*": "×" };
const BINDS = { "+": 1, sum: 1, "-": 1, cagr: 1, "*": 2, "/": 3, mean: 3 };

// A calculation as MathML: a number as text, else [operator, argument, …].
function formula(tree, outer = 0) {
  if (typeof tree === "string") {
    const number = math("mn", tree.replace(/^-/, "−"));
    return outer && tree.startsWith("-") ? bracketed(number) : number;
  }
  const [op, ...terms] = tree;
  const binds = BINDS[op] ?? 0;
  // What stands to the right of a minus needs brackets where it binds no closer.
  const row = (sign) => math("mrow", ...terms.flatMap((term, n) =>
    [...(n ? [math("mo", sign)] : []), formula(term, binds + (n && op === "-" ? 0.5 : 0))]));
  const made = op === "/" ? math("mfrac", formula(terms[0]), formula(terms[1]))
    : op === "mean" ? math("mfrac", formula(["sum", ...terms]), math("mn", String(terms.length)))
    : op === "cagr" ? growth(terms)
    : op === "sum" ? row("+")
    : SIGNS[op] ? row(SIGNS[op])
    : math("mrow", math("mi", op), bracketed(math("mrow", ...terms.flatMap((term, n) => [...(n ? [math("mo", ",")] : []), formula(term)]))));
  return binds < outer ? bracketed(made) : made;
}
const bracketed = (inner) => math("mrow", math("mo", "("), inner, math("mo", ")"));
const growth = ([last, first, years]) => math("mrow",
  math("msup", bracketed(math("mfrac", formula(last), formula(first))), math("mfrac", math("mn", "1"), formula(years))),
  math("mo", "−"), math("mn", "1"));

function caseFormula(title, said) {
  const line = make("div", { class: "formula" }, make("b", {}, title));
  if (!said) { line.append(" ", make("span", { class: "missing" }, "no calculation is known")); return line; }
  if (said.tree !== null) {
    const shown = math("math", math("mrow", formula(said.tree), math("mo", "="), math("mtext", said.result)));
    shown.setAttribute("display", "inline");
    shown.setAttribute("aria-label", said.text);
    line.append(" ", shown);
  }
  line.append(" ", make("code", { class: "plain" }, bdi(said.text)));
  return line;
}
// Where code weighed the numbers: what the answer reckons, what is right, and the cells.
function caseNumber(record) {
  const { number } = record;
  if (!number) return null;
  const box = caseSection("number", "The number");
  if (number.cause) box.append(make("p", { dir: "auto" }, make("b", {}, ...pieces(String(number.cause).replaceAll("_", " "))),
    ...(number.detail ? [": ", ...pieces(caseWords(number.detail))] : [])));
  box.append(caseFormula("the answer:", number.said), caseFormula("right:", number.right));
  if (number.operands.length) box.append(caseTable(["number", "row", "column", "passage"], number.operands.map((one, n) => {
    const row = make("tr", {}, make("th", { scope: "row" }, bdi(one.text)), make("td", {}, bdi(one.row ?? "")), make("td", {}, bdi(one.column ?? "")),
      make("td", {}, casePassageLink(record, one.at, one.passage, one.lit ? "n" + n : undefined)));
    if (one.lit) link(row, "n" + n);
    return row;
  }), "The cells that the right calculation is of"));
  return box;
}
