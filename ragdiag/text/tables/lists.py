"""Tables as PDF extraction leaves them: each cell on its own line, under the headers seen last."""

from __future__ import annotations

from ragdiag.text.tables.cells import (
    CHANGE,
    CURRENCY,
    EMPTY_CELLS,
    MONTHS,
    WORDS,
    YEAR,
    Cell,
    Row,
    Table,
    is_period,
    is_prose,
    is_value,
    is_year,
    numbers_in,
    states_scale,
)


class Listing:
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
        self._slots: list[Cell | str | None] = []
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
        numbers = numbers_in(line)
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
            if last.nil:
                self._slots[-1] = None
                return
            if "%" not in last.text:
                self._slots[-1] = Cell(last.start, last.end, last.text + "%", last.prefix)
                return
        for cell in numbers:
            if cell is not None and self._prefix and not cell.prefix:
                self._slots.append(Cell(cell.start, cell.end, cell.text, self._prefix))
            else:
                self._slots.append(cell)
            self._prefix = ""
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
        elif is_prose(text):
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
        words = [word.lower() for word in WORDS.findall(text)]
        years = [word for word in words if is_year(word)]
        if len(years) > 1 and words[-len(years) :] == years:  # "Year ended 30 June 2020 2019"
            self._heads.extend(years)
        elif years or any(word in CHANGE for word in words):
            self._heads.append(f"{self._pending} {text}".strip())
            self._pending = ""
        elif text.endswith(",") and any(word in MONTHS for word in words) and len(words) == 2:
            self._pending = text
        else:
            self._groups.append(text)

    def _flush(self) -> None:
        """Close the current row."""
        values = [slot for slot in self._slots if not isinstance(slot, str)]
        if not any(map(is_value, values)):
            self._slots = []
            return
        label = self._label()
        heads = self._columns()
        if len(values) == 1 and len(heads) != 1 and (is_prose(label) or not label):
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


def _last_value(slots: list[Cell | str | None]) -> int:
    return max(i for i, slot in enumerate(slots) if not isinstance(slot, str))


def _date_heads(numbers: list[Cell | None], label: str) -> list[str]:
    """The column headers that a line of bare years is, or of days and years under a month."""
    cells = [cell for cell in numbers if cell is not None and not cell.nil]
    texts = [cell.text if cell.prefix == "" else "" for cell in cells]
    if texts and all(YEAR.fullmatch(text) for text in texts):
        return texts
    month = label.rsplit(maxsplit=1)[-1] if label else ""
    days, years = texts[::2], texts[1::2]
    if month.lower() in MONTHS and len(days) == len(years) and years:
        is_day = all(day[-1] == "," and day[:-1].isdecimal() for day in days)
        if is_day and all(YEAR.fullmatch(year) for year in years):
            pairs = zip(days, years, strict=True)
            return [f"{month} {day} {year}" for day, year in pairs]
    return []


def _tail_numbers(line: Cell) -> tuple[Cell, list[Cell | None]]:
    """Split "Net sales 34,229 35,355" into its label and its two or more values at the end."""
    if not line.text[-1].isdigit() and line.text[-1] not in ")%—–-" + CURRENCY:
        return line, []
    cut = len(line.text)
    for word in reversed(line.text.split(" ")):
        if word and any(map(str.isalpha, word)) and word.lower() not in EMPTY_CELLS:
            break
        cut -= len(word) + 1
    cut = max(cut, 0)
    label = line.text[:cut].rstrip()
    if not label or label[-1] in ",;" or len(line.text) - cut > 400:
        return line, []
    rest = line.text[cut:]
    start = line.start + cut + len(rest) - len(rest.lstrip())
    numbers = numbers_in(Cell(start, line.end, rest.strip()))
    if numbers is None or sum(map(is_value, numbers)) < 2:
        return line, []
    return Cell(line.start, line.start + len(label), label), numbers
