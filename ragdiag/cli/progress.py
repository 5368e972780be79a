"""How far an evaluation is, and for what it waits, on standard error: a bar on a terminal, else a
line a minute while the server's rate limit holds it up."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ragdiag.records import SampleResult

_SHORT = 10.0
_BETWEEN = 60.0


@dataclass
class Shown:
    """What is to be called.

    result   with each result; None where standard error is no terminal. `step`: the same, of
             whatever is counted.
    total    with the number of samples.
    limited  at each 429, with the seconds to wait where they are told.
    """

    result: Callable[[SampleResult], None] | None
    step: Callable[[object], None] | None
    total: Callable[[int], object]
    limited: Callable[[float | None], object]


@dataclass
class Minutes:
    """Says that a rate limit holds the work up: once it has for ten seconds, then once a minute."""

    say: Callable[[str], object]
    clock: Callable[[], float] = time.monotonic
    _first: float | None = field(default=None, init=False)
    _before: float | None = field(default=None, init=False)
    _last: float | None = field(default=None, init=False)

    def __call__(self, wait: float | None) -> None:
        """A 429 came."""
        now, before = self.clock(), self._before
        self._before = now
        if self._first is None or before is None or now - before > _BETWEEN:
            self._first = now
        if self._last is not None and now - self._last < _BETWEEN:
            return
        if (wait or 0.0) >= _SHORT or now - self._first >= _SHORT:
            self._last = now
            self.say(waiting(wait))


def waiting(wait: float | None) -> str:
    """ "waiting: rate limited, 30 s"."""
    return f"waiting: rate limited, {wait:.0f} s" if wait else "waiting: rate limited"


@contextmanager
def progress(doing: str = "evaluating", *, of: str = "queries") -> Generator[Shown]:
    """What to call as the work goes on; `doing` says what it is, `of` what is counted."""
    if not sys.stderr.isatty():
        yield Shown(None, None, lambda _: None, Minutes(lambda line: print(line, file=sys.stderr)))
        return
    from rich.console import Console  # noqa: PLC0415 - needed on a terminal only
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed} of {task.fields[of]} " + of),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None, of="?")

        def step(_: object) -> None:
            bar.update(task, advance=1, description=doing)

        yield Shown(
            step,
            step,
            lambda n: bar.update(task, of=n),
            lambda wait: bar.update(task, description=waiting(wait)),
        )
