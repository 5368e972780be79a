"""Problems of an input, each kind told once with how many there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ragdiag.errors import DataError
from ragdiag.records.problem import Problem

SHOWN = 100
ABSENT_FILE = "file_not_found"
_INDEX = re.compile(r"\[[0-9]+\]")


class Findings:
    """The first 100 different problems, at most `a_kind` of each kind, and how many of each kind
    there were. Problems of one kind, one field (apart from its indexes) and one message are equal:
    the first stands for all, and says how many there are."""

    def __init__(self, *, a_kind: int = SHOWN) -> None:
        self._a_kind = a_kind
        self._first: dict[tuple[str, str, str, str], Problem] = {}
        self._times: Counter[tuple[str, str, str, str]] = Counter()
        self._kept: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()

    def add(self, problems: Iterable[Problem]) -> None:
        """Counts each; keeps it while there is room."""
        for problem in problems:
            file = problem.file if problem.line is None else ""  # two files are two problems
            key = (problem.kind, file, _INDEX.sub("", problem.field), problem.message)
            known = self._first.get(key)
            if known is not None and problem.kind == ABSENT_FILE:
                continue  # named once, whatever it was to be read as
            self.counts[problem.kind] += 1
            if known is not None:
                self._times[key] += 1
            elif len(self._first) < SHOWN and self._kept[problem.kind] < self._a_kind:
                self._first[key] = problem
                self._times[key] = 1
                self._kept[problem.kind] += 1

    @property
    def first(self) -> tuple[Problem, ...]:
        """The problems kept, each at its first place."""
        return tuple(
            problem
            if self._times[key] == 1
            else problem.model_copy(update={"message": f"{problem.message} (×{self._times[key]})"})
            for key, problem in self._first.items()
        )


def data_error(problems: Sequence[Problem]) -> DataError:
    """The error of a file: its first 100 different problems, and how many there are in all."""
    found = Findings()
    found.add(problems)
    more = f" ({len(problems)} problems in all)" if len(problems) > 1 else ""
    return DataError(f"{found.first[0]}{more}", found.first, len(problems))
