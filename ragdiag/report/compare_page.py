"""compare.html: a comparison as a page of its own, with the queries that flipped side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.report import compare_lines, numbers, visible, web_page
from ragdiag.report.compare_notes import LEGEND, notes, off_the_front
from ragdiag.report.headline import shown_name

KINDS = {
    "broken": "broken",
    "fixed": "fixed",
    "changed": "still failing, otherwise",
    "open": "undetermined before or after",
}
"""What may have become of a query -> how the page calls it, in the order in which it shows them."""

MOST_LISTED = 2000
_WHY_ABSENT = "only the first ones do, of runs whose samples and results can be read"
_SCRIPTS = (
    "dom.js", "codec.js", "case.js", "case_answer.js", "case_number.js", "case_passages.js",
    "case_copy.js", "compare.js",
)  # fmt: skip
_STYLES = ("base.css", "page.css", "case.css", "compare.css")
_MARKS = {"better": "▲", "worse": "▼", "higher": "▲", "lower": "▼"}


@dataclass(frozen=True, slots=True)
class Flip:
    """One query of another category than before; `shown`: are its two cases in the page?"""

    kind: str
    query_id: str
    before: str
    after: str
    link: str
    shown: bool


def flips_of(pair: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(kind, query id) of a pair's flips, the broken first."""
    for kind in KINDS:
        yield from ((kind, one["query_id"]) for one in pair["flips"][kind])


@cache
def _sources() -> tuple[str, str]:
    web = files("ragdiag.report") / "web"
    return web_page.one_scope(web / name for name in _SCRIPTS), web_page.one_style(
        web / name for name in _STYLES
    )


def render_comparison(
    found: Mapping[str, Any], cases: str = "", shown: frozenset[str] = frozenset()
) -> str:
    """The whole page of compare.json. Everything from data is escaped by the template engine.

    cases  the packed details: {"runs": [names], "cases": {query id: [record or null, by run]}}.
    shown  the ids of the queries in them; the others are listed without a link.
    """
    from jinja2 import (  # noqa: PLC0415 - heavy, and needed here only
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    script, style = _sources()
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        loader=PackageLoader("ragdiag.report"),
    )
    environment.filters.update(  # pyright: ignore[reportUnknownMemberType]
        value=numbers.value, shown_name=shown_name, p=compare_lines.p_value, ms=compare_lines.ms
    )
    return environment.get_template("compare.html").render(
        found=found,
        head=list(compare_lines.head_lines(found)),
        pairs=[_pair(place, pair, shown) for place, pair in enumerate(found["pairs"])],
        kinds=KINDS,
        front=list(off_the_front(found)),
        legend=LEGEND,
        most_flips=MOST_LISTED,
        why_absent=_WHY_ABSENT,
        cases=cases,
        script=script,
        style=style,
        policy=web_page.policy(script, style),
    )


def _pair(place: int, pair: Mapping[str, Any], shown: frozenset[str]) -> dict[str, Any]:
    rows = [row for row in pair["rows"] if row["p"] is not None or row["slice"] is None]
    rows.sort(key=lambda row: row["slice"] or "")
    return {
        "place": place,
        "told": pair,
        "rows": [(row, verdict_of(row)) for row in rows],
        "n_few": sum(row["p"] is None and row["n"] > 0 for row in pair["rows"]),
        "scale": _Scale.of(rows),
        "notes": [one.strip() for one in notes(rows, pair["n"])],
        "flips": [
            Flip(
                kind,
                one["query_id"],
                _category(one["before"]),
                _category(one["after"]),
                case_link(place, one["query_id"]),
                one["query_id"] in shown,
            )
            for kind in KINDS
            for one in pair["flips"][kind]
        ],
        "spent": [(name, visible.one_line(told)) for name, told in compare_lines.spent_lines(pair)],
    }


def case_link(place: int, query_id: str) -> str:
    """Where the page shows a query of a pair side by side."""
    from urllib.parse import quote  # noqa: PLC0415 - one use

    return f"#/case/{place}/{quote(query_id, safe='')}"


def verdict_of(row: Mapping[str, Any]) -> str:
    """The verdict in words, after a sign that shows its direction: never by colour alone."""
    told = compare_lines.verdict_text(row)
    mark = _MARKS.get(row["verdict"], "") if row["significant"] else ""
    return f"{mark} {told}".strip()


def _category(code: str | None) -> str:
    if code is None:
        return "no diagnosis"
    entry = CATALOGUE.get(code)
    return code if entry is None else f"{code} {entry.name.replace('_', ' ')}"


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where a difference stands on the axis of the forest plot, in units of its width of 200."""

    most: float

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> _Scale:
        ends = [
            abs(row[name])
            for row in rows
            for name in ("difference", "ci_low", "ci_high")
            if row[name] is not None
        ]
        return cls(_round_up(max(ends, default=0.0)) or 1.0)

    def at(self, difference: float) -> float:
        return round(100 + 96 * difference / self.most, 2)


def _round_up(number: float) -> float:
    """The next of .1, .2, .5, 1, 2, 5 …"""
    step = 1e-3
    while step < number:
        for factor in (2, 5, 10):
            if step * factor >= number:
                return step * factor
        step *= 10
    return step
