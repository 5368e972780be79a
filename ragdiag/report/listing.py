"""The queries of one category on a terminal: a line each, with the id to copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.diagnosis.rules import STAGE_CODES
from ragdiag.diagnosis.showing import gold_items, place_of, stages_of
from ragdiag.diagnosis.what import DETAILED, what_happened
from ragdiag.records import Sample, SampleResult
from ragdiag.report import numbers, visible
from ragdiag.report.console import WIDTH

_LEAST = 24
_LEADS = (
    "The evidence was there, but ",
    "The evidence was there and ",
    "The answer is right, but ",
)
_LONGEST_ID = 40


def print_listing(
    code: str | None, found: Iterable[tuple[Sample, SampleResult]], *, flag: str | None = None
) -> None:
    """Prints a head line and, a query a line, its id, its question and what happened; ids stay
    whole, the rest is cut to 100 columns. `flag`: they are those of a flag, each with its code."""
    found = list(found)
    codes = {sample.query_id: result.diagnosis.code or "–" for sample, result in found}
    rows = [(sample.query_id, sample.query, _told(result)) for sample, result in found]
    for line in _head(code, len(rows)) if flag is None else [_head_of_flag(flag, len(rows))]:
        print(line)
    width = min(max((len(visible.one_line(row[0])) for row in rows), default=0), _LONGEST_ID)
    for query_id, query, told in rows:
        shown = f"{visible.one_line(query_id):<{width}}"
        if flag is not None:
            shown += f"  {codes[query_id]:<3}"
        left = max(2 * _LEAST, WIDTH - len(shown) - 4)
        asked = 2 * left // 5
        print(f"{shown}  {_cut(query, asked):<{asked}}  {_cut(told, left - asked)}".rstrip())


def _head_of_flag(flag: str, n: int) -> str:
    return f"flag {visible.one_line(flag)}: {numbers.counted(n, 'query', 'queries')}"


def _head(code: str | None, n: int) -> Iterator[str]:
    counted = numbers.counted(n, "query", "queries")
    if code is None:
        yield f"no category: {counted}"
        return
    row = CATALOGUE[code]
    family = f" ({row.family})" if row.family else ""
    yield f"{code} {row.name}{family}: {counted}"
    todo = {"fix": row.fix, "try": row.next_experiment}
    yield "  ".join(f"{name}: {text}" for name, text in todo.items() if text)


def _told(result: SampleResult) -> str:
    """What tells this query from the others of its category, else what happened: of an undetermined
    one what remains and what decides, of a lost one what was lost and where."""
    told = result.diagnosis
    if told.deciding_input is not None:
        return f"{' '.join(told.codes)}; settle {told.deciding_input}"
    if told.code in STAGE_CODES:
        return "; ".join(_lost(result)) or what_happened(result)
    happened = what_happened(result)
    for lead in _LEADS:
        happened = happened.removeprefix(lead)
    if told.code in DETAILED:
        _, colon, rest = happened.partition(": ")
        return rest if colon else happened
    return happened


def _lost(result: SampleResult) -> Iterator[str]:
    for item in gold_items(result.diagnosis.proof):
        if stages_of(item) != ["in_context"]:
            rank = f": rank {item['rank']} of {item['list']}" if "rank" in item else ""
            yield f"{place_of(item)}{rank}"


def _cut(text: str, width: int) -> str:
    line = " ".join(visible.one_line(text[: 4 * width]).split())
    return line if len(line) <= width else f"{line[: width - 1].rstrip()}…"
