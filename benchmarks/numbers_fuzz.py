"""The number parser on a million made-up inputs: it must neither crash nor misplace, and stay fast.

    python benchmarks/numbers_fuzz.py --inputs 1000000

The inputs are mixed of digits of many scripts, signs, units, words and plain noise, by a seed. For
each the quantities must stand in order, without overlap, and be the text at their offsets; written
values must be read back. Then 200 KB of each hostile kind: time on the whole over time on a half
(2 = linear).
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from decimal import Decimal

from ragdiag.text.numbers import compare, parse

_DIGITS_TEXT = (
    "0123456789¦٠١٢٣٤٥٦٧٨٩¦۰۱۲۳۴۵۶۷۸۹¦०१२३४५६७८९¦０１２３４５６７８９¦০১২৩৪৫৬৭৮৯¦๐๑๒๓๔๕๖๗๘๙"
)
_PIECES_TEXT = (
    "$¦€¦£¦¥¦₹¦%¦‰¦bps¦ million¦bn¦ Mio.¦万¦億¦ crore¦ lakh¦(¦)¦-¦−¦–¦+¦.¦,¦'¦’¦ ¦\xa0¦"
    "\u202f¦/¦:¦×¦x¦^¦²¦½¦e¦E¦th¦st¦ to ¦ per cent¦ percentage points¦ dozen¦twenty¦"
    " hundred¦ and ¦FY¦Q¦H¦20¦Jan ¦March ¦年¦月¦日¦第¦三¦百¦千¦兆¦约¦about ¦~¦a loss of ¦fell by ¦"
    "Form 10-K¦Note ¦v¦#¦[¦]¦\n¦\t¦|¦€/t¦ kg¦ km¦\u200b¦\u202e¦٫¦٬¦،¦é¦ß¦Ω¦😀¦\x00¦\ud7ff¦"
    "USD ¦EUR ¦one in ¦a third of ¦00¦000"
)
_HOSTILE_TEXT = (
    "1,¦1.¦1 ¦1-¦(1¦$(¦1e¦1/¦12:¦twenty ¦one hundred ¦Note 1 ¦1.2.3.¦+1 ¦三百¦1'¦Q1 ¦2017-¦"
    "1% ¦v1.¦~¦of ¦$ ¦1:1 ¦a ¦1 ¦第1 ¦http://a "
)
_DIGITS, _PIECES, _HOSTILE = (
    text.split("¦") for text in (_DIGITS_TEXT, _PIECES_TEXT, _HOSTILE_TEXT)
)


def noise(rng: random.Random) -> str:
    """One input: a few digits and pieces in any order, at times with random characters."""
    parts: list[str] = []
    for _ in range(rng.randint(1, 9)):
        kind = rng.random()
        if kind < 0.45:
            digits = rng.choice(_DIGITS) if rng.random() < 0.3 else _DIGITS[0]
            parts.append("".join(rng.choices(digits, k=rng.randint(1, 6))))
        elif kind < 0.92:
            parts.append(rng.choice(_PIECES))
        else:
            parts.append(chr(rng.choice([rng.randint(32, 0x2FFF), rng.randint(0xE000, 0x1FFFF)])))
    return "".join(parts)


def fault(text: str) -> str | None:
    """What is wrong with the reading of a text; None where nothing is."""
    end = 0
    for one in parse(text):
        if one.start < end or one.end <= one.start or one.end > len(text):
            return "offsets"
        if text[one.start : one.end] != one.text:
            return "text"
        if not one.value.is_finite() or one.precision <= 0:
            return "value"
        end = one.end
    return None


def written(rng: random.Random) -> tuple[Decimal, str]:
    """A value and one of the ways to write it that leaves no doubt."""
    decimals = rng.choice([0, 0, 1, 2])
    value = Decimal(rng.randint(1, 10 ** rng.randint(1, 12))).scaleb(-decimals)
    plain = f"{value:,f}"
    if decimals == 0 and plain.count(",") == 1:
        return value, f"{value:f}"
    way = rng.randrange(5)
    if way == 0:
        return value, plain
    if way == 1 and (decimals or plain.count(",") > 1):
        return value, plain.replace(",", "\0").replace(".", ",").replace("\0", ".")
    if way == 2:
        return value, plain.replace(",", "\u202f")
    if way == 3:
        digits = rng.choice(_DIGITS[:4])
        return value, f"{value:f}".translate(str.maketrans(_DIGITS[0], digits))
    return -value, f"({plain})"


def fuzz(n: int, seed: int) -> None:
    """Crashes and misplacements of n inputs, and values that are not read back."""
    rng = random.Random(seed)
    faults: Counter[str] = Counter()
    shown: list[str] = []
    quantities = 0
    began = time.process_time()
    for _ in range(n):
        text = noise(rng)
        try:
            told = fault(text)
        except Exception as error:  # noqa: BLE001 - what may be raised is the question
            told = type(error).__name__
        if told is not None:
            faults[told] += 1
            shown.append(f"{told}: {text!r}")
    spent = time.process_time() - began
    print(f"{n:,} inputs: {sum(faults.values())} faults {dict(faults)} in {spent:.0f} s")
    for line in shown[:10]:
        print("   ", line)
    wrong: list[str] = []
    for _ in range(n // 10):
        value, text = written(rng)
        found = parse(text)
        quantities += len(found)
        if len(found) != 1 or found[0].value != value:
            wrong.append(f"{text!r} {value} {[(o.kind, str(o.value)) for o in found]}")
        elif compare(text, f"{value:f}").relation not in ("equal", "ambiguous"):
            wrong.append(f"{text!r} compares {compare(text, f'{value:f}')}")
    print(f"{n // 10:,} written values: {len(wrong)} not read back")
    for line in wrong[:10]:
        print("   ", line)


def hostile(size: int) -> None:
    """How the time grows with the length of hostile texts."""
    worst = (0.0, "")
    for unit in _HOSTILE:
        text = (unit * (size // len(unit) + 1))[:size]
        half, whole = _spent(text[: size // 2]), _spent(text)
        ratio = whole / max(half, 1e-3)
        worst = max(worst, (ratio, f"{unit!r} {whole:.2f} s"))
    print(f"{size:,} characters of {len(_HOSTILE)} kinds: worst growth from half to whole "
          f"{worst[0]:.1f} ({worst[1]})")  # fmt: skip


def _spent(text: str) -> float:
    began = time.process_time()
    parse(text)
    return time.process_time() - began


def main() -> None:
    """Reads the arguments and prints all figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    fuzz(asked.inputs, asked.seed)
    hostile(200_000)


if __name__ == "__main__":
    main()
