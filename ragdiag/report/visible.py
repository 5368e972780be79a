"""Text of data as it may stand on a terminal: what would steer it is shown, not obeyed."""

from __future__ import annotations

_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *_BIDI)
_SHOWN = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _CONTROLS
}  # fmt: skip
_IN_LINES = {code: shown for code, shown in _SHOWN.items() if code not in (0x09, 0x0A)}
_IN_LINE = {**_SHOWN, 0x09: " ", 0x0A: " "}


def one_line(text: str) -> str:
    """On one line, with control characters and direction overrides written out ("\\x1b")."""
    return text.translate(_IN_LINE)


def lines(text: str) -> str:
    """As `one_line`, but line breaks and tabs stay."""
    return text.translate(_IN_LINES)
