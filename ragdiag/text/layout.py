"""Where the tables stand in a passage's text: their rows, cells and column headers, and the prose.

Three shapes are read: markdown tables, lines whose cells are parted by tabs or wide gaps, and
lists as PDF extraction leaves them, where each cell stands on its own line. Nothing here reads
the value of a number; a cell is a span of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

CURRENCY = "$€£¥₹"
_EMPTY_CELLS = frozenset({"-", "–", "—", "--", "nm", "n/a", "na", "n.m.", "#", "*", "%", "nil", "…"})
# Each optional blank is single, so that a match never backtracks over a run of them.
_NUMBER = re.compile(
    rf"[(\[]?\s?[-−–+]?\s?[{CURRENCY}]?\s?[(]?\s?[-−–+]?\.?\d[\d.,'’]*"
    r"(?:\s?(?:million|billion|thousand|trillion|bps|pts|pp|x)\b)?\s?%?\s?\)?\s?%?"
)
_YEAR = re.compile(r"(?:FY\s?|CY\s?)?(?:19|20)\d\d(?:[AE]|\*|/\d\d)?")
_WORDS = re.compile(r"[^\W\d_]+|\d+|[%$]")
_MONTHS = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_CHANGE = frozenset("change variance increase decrease growth chg".split())
_PERIOD_WORDS = frozenset(
    "fy cy fiscal year years quarter quarters q h first second third fourth half three six nine "
    "twelve month months week weeks ended ending end as of at the for period periods to vs versus "
    "and from over restated unaudited audited actual budget forecast percent percentage "
    "favorable unfavorable inc dec".split()
)
_SCALE = re.compile(
    r"\b(?:thousands?|millions?|billions?|trillions?|crores?|lakhs?|mio|mn|bn)\b"
    r"|[’'](?:000|m)\b|[$€£]\s?(?:000|m|bn|k)\b|(?<![A-Za-z])in(?:thousands|millions|billions)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with something in it: text[start:end]; `prefix` is a currency sign that stood apart."""

    start: int
    end: int
    text: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row's label and cells; a cell None is empty. `aligned`: cells stand under the columns."""

    label: str
    cells: tuple[Cell | None, ...]
    aligned: bool


@dataclass(slots=True)
class Table:
    """Rows under one set of column headers; `caption` is all text that may state unit or scale."""

    columns: tuple[str, ...] = ()
    caption: str = ""
    rows: list[Row] = field(default_factory=list[Row])


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a text, and the spans (start, end) of what is prose or labels."""

    tables: tuple[Table, ...]
    prose: tuple[tuple[int, int], ...]


def read_layout(text: str) -> Layout:
    """Find the tables and the prose of a text; linear in its length. Empty text: nothing."""
    tables: list[Table] = []
    prose: list[tuple[int, int]] = []
    listing = _Listing(tables, prose)
    grid: list[list[Cell]] = []
    for line in _lines(text):
        cells = _grid_cells(text, line)
        if cells is None and grid and not line.text:
            continue
        if cells is not None:
            grid.append(cells)
            continue
        _close_grid(grid, listing)
        listing.add(line)
    _close_grid(grid, listing)
    listing.close()
    return Layout(tuple(table for table in tables if table.rows), tuple(prose))


def is_period(text: str) -> bool:
    """Is a label nothing but a time or a change between times ("2018", "Year ended 30 June")?"""
    words = [word.lower() for word in _WORDS.findall(text)]
    if not words or len(words) > 14 or text.endswith("."):
        return False
    telling = False
    for word in words:
        if _is_year(word) or word in _MONTHS or word in _CHANGE:
            telling = True
        elif word in _PERIOD_WORDS:
            telling = telling or word in {"ended", "quarter", "quarters", "months", "year", "years"}
        elif not (word in "%$" or (word.isdecimal() and int(word) <= 53)):
            return False
    return telling


def states_scale(text: str) -> bool:
    """Does a short text state a scale ("(in millions)", "$ thousand")?"""
    return _SCALE.search(text) is not None


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


def _lines(text: str) -> Iterator[Cell]:
    start = 0
    for part in text.split("\n"):
        stripped = part.strip()
        offset = start + (part.find(stripped) if stripped else 0)
        yield Cell(offset, offset + len(stripped), stripped)
        start += len(part) + 1


def _grid_cells(text: str, line: Cell) -> list[Cell] | None:
    """The cells of a markdown, tab- or gap-separated line; None = the line is no grid row."""
    body = line.text
    if body.startswith("|") or body.count("|") >= 2:
        inner_start = line.start + body.startswith("|")
        inner_end = line.end - (body.endswith("|") and len(body) > 1)
        return list(_split(text[inner_start:inner_end], inner_start, re.compile(r"\|")))
    # A leading tab or gap is an empty first cell, so the line is read back to its start.
    begin = text.rfind("\n", 0, line.start) + 1
    whole = text[begin : line.end]
    if "\t" in whole:
        cells = list(_split(whole, begin, re.compile(r"\t")))
        return cells if len(cells) > 1 and any(cell.text for cell in cells[1:]) else None
    if "  " not in body:
        return None
    cells = list(_split(body, line.start, re.compile(r" {2,}")))
    if len(cells) < 2 or not any(_numbers(cell) or is_period(cell.text) for cell in cells[1:]):
        return None
    if begin + 1 < line.start and is_period(cells[0].text):
        cells.insert(0, Cell(begin, begin, ""))
    return _join_signs(cells)


def _split(body: str, offset: int, separator: re.Pattern[str]) -> Iterator[Cell]:
    at = 0
    for match in [*separator.finditer(body), None]:
        end = len(body) if match is None else match.start()
        part = body[at:end]
        stripped = part.strip().strip("*_").strip()
        start = offset + at + (part.find(stripped) if stripped else 0)
        yield Cell(start, start + len(stripped), stripped)
        at = len(body) if match is None else match.end()


def _join_signs(cells: list[Cell]) -> list[Cell]:
    """A currency sign that stands alone belongs to the next cell; a lone % to the one before."""
    out: list[Cell] = []
    prefix = ""
    for cell in cells:
        if cell.text in CURRENCY and cell.text:
            prefix = cell.text
        elif cell.text in ("%", ")", ")%") and out and _numbers(out[-1]):
            last = out.pop()
            out.append(Cell(last.start, cell.end, last.text + cell.text, last.prefix))
        else:
            out.append(Cell(cell.start, cell.end, cell.text, prefix))
            prefix = ""
    return out


def _numbers(cell: Cell) -> list[Cell | None] | None:
    """The numbers of a cell that holds nothing else (None in the list = an empty cell), or None."""
    if not cell.text or len(cell.text) > 400:
        return None
    found: list[Cell | None] = []
    at, prefix, some = 0, "", False
    for match in [*_NUMBER.finditer(cell.text), None]:
        rest = cell.text[at : len(cell.text) if match is None else match.start()]
        for token in rest.split():
            if token in CURRENCY:
                prefix = token
            elif token == "%" and found and found[-1] is not None:
                continue
            elif token.lower() in _EMPTY_CELLS:
                found.append(None)
            elif not (len(token) == 3 and token[0] == "(" and token[2] == ")"):
                return None
        if match is None:
            break
        piece = match.group().strip()
        start = cell.start + match.start() + match.group().find(piece)
        found.append(Cell(start, start + len(piece), piece, prefix))
        at, prefix, some = match.end(), "", True
    if prefix and not some:
        return None
    return found


# ---- grids -----------------------------------------------------------------------------------


def _close_grid(grid: list[list[Cell]], listing: _Listing) -> None:
    """Turn the grid lines collected so far into tables."""
    if not grid:
        return
    lines = [line for line in grid if not all(_is_rule(cell.text) for cell in line)]
    grid.clear()
    caption = listing.take_caption()
    header: list[list[Cell]] = []
    table: Table | None = None
    for line in lines:
        numbers = [_numbers(cell) if cell.text else None for cell in line[1:]]
        periods = [is_period(cell.text) for cell in line[1:]]
        has_data = any(
            found and any(found) and not period
            for found, period in zip(numbers, periods, strict=True)
        )
        if not has_data and _is_header(line, periods, first=table is None):
            if table is not None:
                header, table = [], None
            header.append(line)
            listing.prose.extend((cell.start, cell.end) for cell in line if cell.end > cell.start)
            continue
        if table is None:
            words = " ".join(cell.text for row in header for cell in row if cell.text)
            table = Table(_columns(header, len(line)), f"{caption} {words}".strip())
            listing.tables.append(table)
        cells = [found[0] if found else None for found in numbers]
        table.rows.append(Row(line[0].text, tuple(cells), aligned=True))
        listing.prose.extend(
            (cell.start, cell.end)
            for cell, found in zip(line, [None, *numbers], strict=True)
            if not found and cell.end > cell.start
        )
    listing.start_table()


def _is_rule(text: str) -> bool:
    return not text.strip("-:=+ ")


def _is_header(line: list[Cell], periods: list[bool], *, first: bool) -> bool:
    """Is a row without data a header? After data only where it holds periods and no own label."""
    if first:
        return True
    filled = [period for cell, period in zip(line[1:], periods, strict=True) if cell.text]
    label = line[0].text
    return bool(filled) and all(filled) and (not label or is_period(label) or states_scale(label))


def _columns(header: list[list[Cell]], width: int) -> tuple[str, ...]:
    """One label a column: header rows joined downwards, a heading spread over its blank right."""
    parts: list[list[str]] = [[] for _ in range(width - 1)]
    for depth, line in enumerate(header):
        texts = [cell.text for cell in line]
        shifted = texts if len(texts) == width - 1 else texts[1:]
        last = depth == len(header) - 1
        current = ""
        for at in range(min(width - 1, len(shifted))):
            current = shifted[at] or ("" if last else current)
            if current:
                parts[at].append(current)
    return tuple(" ".join(part) for part in parts)


# ---- lists: each cell on its own line -----------------------------------------------------------


class _Listing:
    """Reads lines one by one: labels, then their values, under the headers seen last."""

    def __init__(self, tables: list[Table], prose: list[tuple[int, int]]) -> None:
        self.tables = tables
        self.prose = prose
        self._caption: list[str] = []
        self._heads: list[str] = []
        self._groups: list[str] = []
        self._pending = ""
        self._open = False
        self._labels: list[Cell] = []
        self._slots: list[Cell | None | str] = []
        self._prefix = ""
        self._table: Table | None = None
        self._chunk: tuple[int, int] | None = None
        self._blank_separated = False

    def take_caption(self) -> str:
        """The texts just before a grid, where its unit may be stated; flushes what is open."""
        self._flush()
        self._end_chunk()
        caption = " ".join([*self._caption, *(label.text for label in self._labels[-3:])])
        self._labels = []
        return caption

    def start_table(self) -> None:
        """Forget headers and captions: what follows belongs to another table."""
        self._flush()
        self._heads, self._groups, self._caption = [], [], []
        self._pending, self._open, self._table = "", False, None

    def close(self) -> None:
        """The text is at its end."""
        self._flush()
        self._end_chunk()

    def add(self, line: Cell) -> None:
        """Read one line."""
        if not line.text:
            if self._labels or self._slots:
                self._slots.append("blank")
            return
        if line.text in CURRENCY:
            self._prefix = line.text
            return
        numbers = _numbers(line)
        if numbers is not None:
            self._add_numbers(line, numbers)
            return
        label, tail = (line, []) if is_period(line.text) else _tail_numbers(line)
        if tail:
            self._add_text(label)
            self._add_numbers(line, list(tail))
            return
        self._add_text(line)

    def _add_numbers(self, line: Cell, numbers: list[Cell | None]) -> None:
        self._end_chunk()
        heads = _date_heads(numbers, self._labels[-1].text if self._labels else "")
        if heads:
            self._flush()
            self._open_header()
            self._heads.extend(f"{self._pending} {head}".strip() for head in heads)
            self._pending = ""
            return
        if line.text == "%" and self._slots and isinstance(self._slots[-1], Cell):
            last = self._slots[-1]
            if "%" not in last.text:
                self._slots[-1] = Cell(last.start, last.end, last.text + "%", last.prefix)
                return
        for cell in numbers:
            if cell is not None and self._prefix and not cell.prefix:
                cell = Cell(cell.start, cell.end, cell.text, self._prefix)
            self._prefix = ""
            self._slots.append(cell)
        if line.text[-1] in CURRENCY:
            self._prefix = line.text[-1]
        self._open = False

    def _add_text(self, line: Cell) -> None:
        self._flush()
        self._prefix = ""
        text = line.text.rstrip(CURRENCY + " ")
        if text != line.text:
            self._prefix = line.text[-1]
        if is_period(text):
            self._end_chunk()
            self._open_header()
            self._add_header(text)
        elif states_scale(text) and len(text) < 140 and (text[0] in "($" or len(text) < 60):
            if not self._open and self._table is not None:
                self._caption = []
            self._end_chunk()
            self._caption.append(text)
            self._table = None
            return
        elif _is_prose(text):
            if self._table is not None:
                self.start_table()
            self._labels = [line]
        else:
            self._labels.append(line)
        if not is_period(text):
            self._extend_chunk(line)

    def _open_header(self) -> None:
        if not self._open:
            self._heads, self._groups, self._pending = [], [], ""
            self._open = True
        self._labels, self._slots, self._table = [], [], None
        self._blank_separated = False

    def _add_header(self, text: str) -> None:
        words = [word.lower() for word in _WORDS.findall(text)]
        years = [word for word in words if _is_year(word)]
        if len(years) > 1 and words[-len(years) :] == years:  # "Year ended 30 June 2020 2019"
            self._heads.extend(years)
        elif years or any(word in _CHANGE for word in words):
            self._heads.append(f"{self._pending} {text}".strip())
            self._pending = ""
        elif text.endswith(",") and any(word in _MONTHS for word in words) and len(words) == 2:
            self._pending = text
        else:
            self._groups.append(text)

    def _flush(self) -> None:
        """Close the current row."""
        values = [slot for slot in self._slots if not isinstance(slot, str)]
        if not any(value is not None for value in values):
            self._slots = []
            return
        label = self._label()
        heads = self._columns()
        if len(values) == 1 and len(heads) != 1 and (_is_prose(label) or not label):
            self._reset_row()  # a page number
            return
        if self._table is None:
            self._table = Table(heads, " ".join([*self._caption, *self._groups]))
            self.tables.append(self._table)
        for at, cells in enumerate(self._cut(values, len(heads))):
            aligned = len(cells) == len(heads)
            self._table.rows.append(Row(label if at == 0 else "", cells, aligned))
        self._reset_row()

    def _reset_row(self) -> None:
        self._slots, self._labels = [], []

    def _cut(self, values: list[Cell | None], width: int) -> list[tuple[Cell | None, ...]]:
        """The row's cells under `width` columns; several rows where a total has no label."""
        if width and len(values) == width:
            inner = self._slots[: _last_value(self._slots) + 1]
            first = next(i for i, slot in enumerate(inner) if not isinstance(slot, str))
            self._blank_separated |= "blank" in inner[first:]
            return [tuple(values)]
        if width and len(values) > width and len(values) % width == 0:
            return [tuple(values[at : at + width]) for at in range(0, len(values), width)]
        slots = [None if isinstance(slot, str) else slot for slot in self._slots]
        if width and len(slots) == width and not self._blank_separated:
            return [tuple(slots)]
        return [tuple(values)]

    def _columns(self) -> tuple[str, ...]:
        groups = [group for group in self._groups if group]
        n, g = len(self._heads), len(groups)
        if g > 1 and n and n % g == 0:
            return tuple(f"{groups[at * g // n]} {head}" for at, head in enumerate(self._heads))
        return tuple(self._heads)

    def _label(self) -> str:
        """The last text before the values, with the lines that it continues."""
        parts: list[str] = []
        for line in reversed(self._labels):
            parts.append(line.text.rstrip(CURRENCY + " .…:_"))
            if not line.text[:1].islower() or len(parts) == 3:
                break
        return " ".join(reversed(parts))

    def _extend_chunk(self, line: Cell) -> None:
        begin = line.start if self._chunk is None else self._chunk[0]
        self._chunk = (begin, line.end)

    def _end_chunk(self) -> None:
        if self._chunk is not None:
            self.prose.append(self._chunk)
            self._chunk = None


def _last_value(slots: list[Cell | None | str]) -> int:
    return max(i for i, slot in enumerate(slots) if not isinstance(slot, str))


def _date_heads(numbers: list[Cell | None], label: str) -> list[str]:
    """The column headers that a line of bare years is, or of days and years under a month."""
    texts = [cell.text if cell.prefix == "" else "" for cell in numbers if cell is not None]
    if texts and all(_YEAR.fullmatch(text) for text in texts):
        return texts
    month = label.split()[-1].lower() if label else ""
    days, years = texts[::2], texts[1::2]
    if month in _MONTHS and len(days) == len(years) and years:
        is_day = all(day[-1] == "," and day[:-1].isdecimal() for day in days)
        if is_day and all(_YEAR.fullmatch(year) for year in years):
            return [f"{label.split()[-1]} {day} {year}" for day, year in zip(days, years, strict=True)]
    return []


def _is_prose(text: str) -> bool:
    text = text.rstrip(".…_ ") if text.endswith("..") else text
    return len(text) > 160 or (text.count(" ") >= 9 and text[-1] in ".;")


def _tail_numbers(line: Cell) -> tuple[Cell, list[Cell | None]]:
    """Split "Net sales 34,229 35,355" into its label and its two or more values at the end."""
    if not line.text[-1].isdigit() and line.text[-1] not in ")%—–-" + CURRENCY:
        return line, []
    cut = len(line.text)
    for word in reversed(line.text.split(" ")):
        if word and any(map(str.isalpha, word)) and word.lower() not in _EMPTY_CELLS:
            break
        cut -= len(word) + 1
    cut = max(cut, 0)
    label = line.text[:cut].rstrip()
    if not label or label[-1] in ",;" or len(line.text) - cut > 400:
        return line, []
    rest = line.text[cut:]
    start = line.start + cut + len(rest) - len(rest.lstrip())
    numbers = _numbers(Cell(start, line.end, rest.strip()))
    if numbers is None or sum(cell is not None for cell in numbers) < 2:
        return line, []
    return Cell(line.start, line.start + len(label), label), numbers
