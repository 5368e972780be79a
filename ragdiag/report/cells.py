"""Values as cells of a CSV file that spreadsheets open: text stays text, numbers stay numbers."""

from __future__ import annotations

import math
import re
from typing import Any

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "＝", "＋", "－", "＠")
_PLAIN_NUMBER = re.compile(r"[+-]?\d[\d.,]*%?")
MOST_CHARACTERS = 32_000
"""A cell of Excel holds 32,767; a longer text is cut, and says so."""


def cell(value: Any) -> str | float | int | None:
    """One value: None and NaN an empty cell, lists with "; " between, numbers as they are.

    A text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV
    injection); NUL, which ends a cell in some readers, is left out.
    """
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    if isinstance(value, (int, float)):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple, set, frozenset)):
        text = "; ".join(str(one) for one in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    else:
        text = str(value)
    text = text.replace("\0", "")
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}… (+{len(text) - MOST_CHARACTERS} characters)"
    runs = text.startswith(_STARTS_A_FORMULA) and not _PLAIN_NUMBER.fullmatch(text)
    return f"'{text}" if runs else text
