"""Pages as people write them: when two of them are one."""

from __future__ import annotations

import unicodedata


def same_page(left: int | str, right: int | str) -> bool:
    """Page 60 and "60", "060" and "p. 60" are one page."""
    return page_name(left) == page_name(right)


def page_name(page: int | str) -> str:
    """The one spelling by which pages are compared: "60" for these four, "iv" for "IV"."""
    if isinstance(page, int):
        return str(page)
    text = page.strip().casefold()
    for prefix in ("pages", "page", "pp.", "pp", "p.", "p"):
        rest = text.removeprefix(prefix).strip()
        if rest != text and rest.isdecimal():
            text = rest
            break
    if not text.isdecimal():
        return text
    return "".join(str(unicodedata.decimal(digit)) for digit in text).lstrip("0") or "0"
