"""Is a passage of the wrong company or period noticed: pages of real reports, their target swapped.

    python benchmarks/identity.py SHARED

Every page is compared with its own company and period (an outcome "mismatch" is a false alarm) and
with each other company and period of the set, quarter for quarter and year for year (a "mismatch"
is a swap caught): by metadata, by the document's id, and by the text alone.

Two things are no swap: a period that is also a name of the page's own quarter (Microsoft's fiscal
Q1 2023 is the calendar's Q3 2022), and last year's quarter or year, which reports show in a column
beside their own; the latter are counted apart. A page "states" its company where it gives the legal
name or has it in a running head, and its period where it has a label or a length with an end;
"names" = the company's name stands anywhere.

The rules for names were written while looking at the filings of one half of the companies, drawn at
random; the other half was held out, and both are reported apart.

The labels of two documents (2023 Q1 MSFT, 2023 Q2 MSFT) fit neither the fiscal nor the calendar
quarter that their pages state; they are corrected here, and counted apart as they stand.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragdiag.records import Passage, Target
from ragdiag.text.entities import mentions
from ragdiag.text.identity import compare
from ragdiag.text.interim import stated
from ragdiag.text.period_places import heading_years
from ragdiag.text.periods import period_of

NAMES = {
    "AAPL": "Apple", "MSFT": "Microsoft", "INTC": "Intel", "AMZN": "Amazon", "NVDA": "NVIDIA",
}  # fmt: skip
YEAR_ENDS = {"Apple": 9, "Microsoft": 6, "NVIDIA": 1, "Intel": 12, "Amazon": 12}
CORRECTED = {"2023 Q1 MSFT.pdf": ("Q2 2023", 2022, 12), "2023 Q2 MSFT.pdf": ("Q3 2023", 2023, 3)}
APPLE = {"Q3 2022": (2022, 6), "Q1 2023": (2022, 12), "Q2 2023": (2023, 4), "Q3 2023": (2023, 7)}
LEGAL = r",?\s(?:&\sCo|Inc|Corp|Company|Companies|Stores|International|plc|LLC|Ltd)"


@dataclass(frozen=True)
class Page:
    """A page and its truth: `own` are all names of its period, `shown` those of a year before."""

    entity: str
    period: str
    given: str
    doc: str
    text: str
    metadata: dict[str, str]
    own: frozenset[str]
    shown: frozenset[str]


def quarter_names(entity: str, year: int, month: int) -> frozenset[str]:
    """Every label of the quarter that ends in a month: by the calendar and by the fiscal year."""
    found: set[str] = set()
    for end in (year * 12 + month - 1 + off for off in (-1, 0, 1)):
        if (end % 12 + 1) % 3 == 0:
            found.add(f"Q{(end % 12 + 1) // 3} {end // 12}")
        left = (YEAR_ENDS[entity] - 1 - end) % 12
        if left % 3 == 0:
            number, fiscal = 4 - left // 3, (end + left) // 12
            found.add(f"Q{number} {fiscal}")
            if YEAR_ENDS[entity] <= 2:
                found.add(f"Q{number} {fiscal - 1}")
    return frozenset(found)


def quarterly(shared: Path) -> Iterator[Page]:
    """The 20 quarterly reports."""
    for row in rows(shared / "data/kgrag_10q/pages.jsonl"):
        entity, (year, quarter) = NAMES[row["company"]], row["period"].split()
        given = f"{quarter} {year}"
        period, ends = given, (int(year), int(quarter[1]) * 3 + (entity == "NVIDIA"))
        if entity == "Apple":
            ends = APPLE[given]
        elif row["doc"] in CORRECTED:
            period, *rest = CORRECTED[row["doc"]]
            ends = (rest[0], rest[1])
        elif entity == "Microsoft":
            ends = (int(year), 9)
        yield Page(
            entity,
            period,
            given,
            row["doc"],
            row["text"],
            {"company": row["company"], "period": period},
            quarter_names(entity, *ends) | {period},
            quarter_names(entity, ends[0] - 1, ends[1]),
        )


def annual(shared: Path) -> Iterator[Page]:
    """The 30 filings of FinanceBench that are whole; years before count as shown beside."""
    for row in rows(shared / "data/financebench/page_corpus.jsonl.gz"):
        match = re.search(r"_(\d{4})(Q\d)?_", row["doc"])
        if match is None:
            continue
        year, quarter = int(match[1]), match[2]
        period = f"{quarter} {year}" if quarter else f"FY{year}"
        shown = {f"{quarter} {year - 1}"} if quarter else {f"FY{year - back}" for back in (1, 2)}
        metadata = {"company": row["company"], "period": period}
        own = frozenset({period})
        yield Page(
            row["company"], period, period, row["doc"], row["text"], metadata, own, frozenset(shown)
        )


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Pages with at least 200 characters."""
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8")
    ) as file:
        for line in file:
            row = json.loads(line)
            if len(row["text"]) >= 200:
                yield row


def states_entity(page: Page) -> bool:
    """The name with a legal form, or in a running head beside the kind of report."""
    name = re.escape(page.entity)
    legal = re.search(rf"\b{name}(?:\.com)?{LEGAL}", page.text, re.IGNORECASE)
    head = re.search(rf"^.{{0,30}}\b{name}\b.{{0,30}}\bForm 10-[KQ]", page.text, re.I | re.M)
    return bool(legal or head)


def states_period(page: Page) -> bool:
    """A label or a length with an end; of years also years as headings of columns."""
    if page.period.startswith("Q"):
        return stated(page.text).tells
    return any(p.startswith("FY") for p in period_of(page.text)) or bool(heading_years(page.text))


def passage(page: Page, by: str) -> Passage:
    """The page with what the way of comparing may see."""
    if by == "metadata":
        return Passage(passage_id="x", text=page.text, metadata=page.metadata)
    return Passage(passage_id="x", text=page.text, doc_id=page.doc if by == "id" else None)


def measure(pages: list[Page], by: str) -> None:
    """Prints the rates of one way of comparing."""
    entities, periods = sorted({p.entity for p in pages}), sorted({p.given for p in pages})
    alarms: Counter[str] = Counter()
    caught: Counter[tuple[str, str, str]] = Counter()
    as_given = 0
    for page in pages:
        given = passage(page, by)
        period = page.given if by == "id" else page.period
        right = compare(Target(entity=page.entity, period=period), given)
        alarms.update(field for field, outcome in right.items() if outcome == "mismatch")
        labelled = compare(Target(period=page.given), given)
        as_given += "mismatch" in labelled.values()
        kinds = {
            "entity": ["all", *["states"] * states_entity(page)],
            "period": ["all", *["states"] * states_period(page)],
        }
        if mentions(page.entity, page.text):
            kinds["entity"].append("names")
        others = [("entity", e, kinds["entity"]) for e in entities if e != page.entity]
        for period in periods:
            if period in page.own | {page.given} or period[0] != page.period[0]:
                continue
            shown = ["shown beside"] if period in page.shown else kinds["period"]
            others.append(("period", period, shown))
        for field, other, counted in others:
            outcome = compare(Target(**{field: other}), given)[field]
            for kind in counted:
                caught[field, kind, outcome] += 1
    print(
        f"  by {by}: false alarms entity {alarms['entity'] / len(pages):.1%}, period "
        f"{alarms['period'] / len(pages):.1%} (labels as given {as_given / len(pages):.1%})"
    )
    for field, kind in sorted({(field, kind) for field, kind, _ in caught}):
        n = sum(caught[field, kind, outcome] for outcome in ("match", "mismatch", "unknown"))
        hit, missed = caught[field, kind, "mismatch"], caught[field, kind, "match"]
        print(f"    {field:6} swapped, {kind:12} caught {hit / n:6.1%}, called right "
              f"{missed / n:6.1%}  of {n}")  # fmt: skip


def main() -> None:
    """Reads the pages and prints both sets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--pages", type=int, default=1200, help="how many pages of the filings")
    asked = parser.parse_args()
    whole = list(annual(asked.shared))
    filings = random.Random(3).sample(whole, asked.pages)
    for name, pages in (("kgrag_10q", list(quarterly(asked.shared))), ("financebench", filings)):
        print(f"{name}: {len(pages)} pages")
        for by in ("metadata", "id", "text"):
            measure(pages, by)
    for name, companies in halves(whole).items():
        pages = [page for page in whole if page.entity in companies]
        pages = random.Random(5).sample(pages, min(asked.pages, len(pages)))
        print(f"financebench, {name} half ({', '.join(sorted(companies))}): {len(pages)} pages")
        measure(pages, "text")


def halves(pages: list[Page]) -> dict[str, set[str]]:
    """The companies that the rules of `text/filers.py` were looked at on, and the other half."""
    companies = sorted({page.entity for page in pages})
    random.Random(11).shuffle(companies)
    middle = len(companies) // 2
    return {"seen": set(companies[:middle]), "held out": set(companies[middle:])}


if __name__ == "__main__":
    main()
