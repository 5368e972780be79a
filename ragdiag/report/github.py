"""Gates on GitHub: annotations of a workflow, and the summary of its step.

Workflow commands: `::error title=…::message`, where %, CR and LF of the message, and : and , of the
title too, are percent-encoded. Whatever else is printed from data stands between `::stop-commands`
lines, so that no id is obeyed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO

from ragdiag.report import visible
from ragdiag.report.gate_lines import (
    FAILED,
    PASSED,
    failures_first,
    headline,
    needs,
    query_lines,
    shown_interval,
    shown_value,
    told_why,
)
from ragdiag.report.gate_queries import Told
from ragdiag.report.gates import Outcome

_MARKUP = re.compile(r"[\\`*\[\]~|]")
_AT_THE_START = tuple("#>-+=")
_MOST_TOLD = 50


def annotation(outcome: Outcome, queries: Mapping[str, Told]) -> str:
    """The line of a gate that failed."""
    title = visible.one_line(f"gate failed: {outcome.title}")
    told = [told_why(outcome), *(visible.one_line(line) for line in query_lines(outcome, queries))]
    return f"::error title={_property(title)}::{_message(chr(10).join(told))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


@contextmanager
def commands_stopped(stream: TextIO) -> Generator[None]:
    """What is printed meanwhile is no workflow command, whatever it looks like."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", file=stream, flush=True)
    try:
        yield
    finally:
        print(f"::{token}::", file=stream, flush=True)


def step_summary(
    outcomes: Sequence[Outcome],
    *,
    queries: Mapping[str, Told],
    notes: Sequence[str],
    name: str,
) -> str:
    """Markdown: a table of all gates, failures first, then each failure with its queries."""
    lines = [
        f"### ragdiag gate: {headline(outcomes)}",
        "",
        _markdown(name),
        "",
        "| | gate | value | 95% interval | scored | needs |",
        "|---|---|---:|---:|---:|---:|",
    ]
    rows = failures_first(outcomes)
    for one in rows:
        cells = (
            PASSED if one.passed else f"**{FAILED}**",
            _markdown(one.title),
            *map(_markdown, (shown_value(one), shown_interval(one), one.told, needs(one))),
        )
        lines.append(f"| {' | '.join(cells)} |")
    for one in [row for row in rows if not row.passed][:_MOST_TOLD]:
        lines += ["", f"**{_markdown(one.title)}**: {_markdown(told_why(one))}", ""]
        lines += [f"- {_markdown(line)}" for line in query_lines(one, queries)]
    if notes:
        lines += ["", *(f"- note: {_markdown(note)}" for note in notes)]
    return "\n".join(lines) + "\n\n"


def _markdown(text: str) -> str:
    """Text in which no link, code, HTML or cell of a table is read."""
    told = visible.one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    told = _MARKUP.sub(r"\\\g<0>", told)
    return "\\" + told if told[:1] in _AT_THE_START else told
