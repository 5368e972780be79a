"""Author and year as a name of a passage: "(Smith et al., 2020)", "Müller and Li (2019a)"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ragdiag.text.marker import Label

_AUTHOR = r"(?P<name>[^\W\d_][\w'’-]{1,40})(?: et al\.?| (?:and|und|et|y|&) [^\W\d_][\w'’-]{1,40})?"
_PLACE = r"(?:[,:] ?(?:pp?\.?|S\.|page|pages)? ?\d[\d–-]*)?"
YEAR = re.compile(rf"(?:19|20)\d\d[a-z]?{_PLACE}")
_NARRATIVE = re.compile(rf"(?<!\w)(?P<by>{_AUTHOR}) ?$")
_AUTHOR_YEAR = re.compile(
    rf"(?:(?:see(?: also)?|e\.g\.|cf\.?|vgl\.?|siehe|voir),? )?{_AUTHOR},? "
    rf"(?P<year>(?:19|20)\d\d)(?P<letter>[a-z]?){_PLACE}"
)
_OWNED = re.compile(r"['’]s?$")


class Authors:
    """The passages by the letters and digits of their ids."""

    def __init__(self, passage_ids: Sequence[str]) -> None:
        self._ids = [(one, _squeezed(one)) for one in passage_ids]

    def narrative(self, before: str, year: str, at: int) -> tuple[Label, ...] | None:
        """The passage of "Smith (2020)", where `before` ends with the name; None for none."""
        by = _NARRATIVE.search(before)
        return None if by is None else self.labels(f"{_OWNED.sub('', by['by'])} {year}", at)

    def labels(self, body: str, at: int) -> tuple[Label, ...] | None:
        """The passages of "Smith, 2020; Lee 2019"; None where a part names none, or several."""
        found: list[Label] = []
        for part in re.finditer(r"[^;]+", body):
            read = _AUTHOR_YEAR.fullmatch(part.group().strip())
            known = [] if read is None else self._named(read)
            if len(known) != 1:
                return None
            found.append(Label(at + part.start(), at + part.end(), None, known[0]))
        return tuple(found) or None

    def _named(self, read: re.Match[str]) -> list[str]:
        name, year = _squeezed(read["name"]), read["year"]
        known = [
            (one, letters) for one, letters in self._ids if name in letters and year in letters
        ]
        if len(known) > 1:
            exact = [(i, s) for i, s in known if read["letter"] and year + read["letter"] in s]
            known = exact or known
        return [one for one, _ in known]


def _squeezed(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in spread if c.isalnum())
