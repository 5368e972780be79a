"""verdicts.jsonl by query, one at a time: where each line begins is held, not what it says."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import IO

from ragdiag.records import Judgement


class VerdictPlaces:
    """The judgements of a directory; of a query with several, the last one.

    What cannot be read has no place: pages show what there is, and `rescore` says what is broken.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] | None = path.open("rb") if path.exists() else None
        self._places: dict[str, int] = {}
        place = 0
        for line in self._file or ():
            query_id = _query_id(line)
            if query_id is not None:
                self._places[query_id] = place
            place += len(line)

    def __enter__(self) -> VerdictPlaces:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def of(self, query_id: str) -> Judgement | None:
        """What was said of a query; None where nothing was, or nothing that can be read."""
        place = self._places.get(query_id)
        if place is None or self._file is None:
            return None
        self._file.seek(place)
        try:
            return Judgement.model_validate_json(self._file.readline())
        except ValueError:
            return None


def _query_id(line: bytes) -> str | None:
    try:
        found = json.loads(line)["query_id"]
    except (ValueError, TypeError, KeyError):
        return None
    return found if isinstance(found, str) else None
