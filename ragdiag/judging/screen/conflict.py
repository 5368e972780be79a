"""Where a claim and the sentence that it aligns with say opposite things: a negation, a number, a
period, a company."""

from __future__ import annotations

from ragdiag.judging.screen.features import ClaimRead, Evidence, Hit
from ragdiag.judging.screen.model import Idf
from ragdiag.judging.screen.reading import Span, plain_number, read_span
from ragdiag.text.entities import mentions
from ragdiag.text.entity_conflict import entity_conflict
from ragdiag.text.numbers import compare_quantities, parse
from ragdiag.text.numbers.quantity import Quantity
from ragdiag.text.period_conflict import period_beside, period_conflict

NEGATED = "negation flipped at"
"""How the conflict begins that a negation alone makes."""

_ALIGNED = 0.8
_ALIGNED_NEGATION = 0.85
_ALIGNED_BACK = 0.5
_FEWEST = 3
_LONGEST = 2_000
_MOST_HOLDING = 20
_PASSAGE_NAMES = ("passage", "document", "doc", "source")


def conflict(read: ClaimRead, idf: Idf) -> str | None:
    """What is flipped or replaced against the best sentence, in words; None = nothing clear.

    Only where the rest of the claim aligns with that sentence.
    """
    claim = read.span
    if not read.best or len(claim.text) > _LONGEST:
        return None
    best = read.best[0]
    words = claim.bag - claim.numbers
    if len(words) < _FEWEST:
        return None
    aligned = idf.total(words & best.sentence.bag) / (idf.total(words) or 1.0)
    if not read.missing and aligned >= _ALIGNED_NEGATION:
        flipped = _flipped(claim, best.sentence)
        if flipped is not None and read.features["best_precision"] >= _ALIGNED_BACK:
            return f"{NEGATED} {flipped!r}"
    if read.missing and aligned >= _ALIGNED:
        return _replaced(claim, best, read.missing)
    return None


def dated_otherwise(read: ClaimRead, evidence: Evidence, idf: Idf) -> tuple[str, bool] | None:
    """(what is dated otherwise, is the rest of the claim the same?), or None.

    The sentences that hold one of the claim's amounts and half of its words, else its best
    sentences, all state another period than the claim.
    """
    claim = read.span
    if not read.best or len(claim.text) > _LONGEST or not claim.numbers:
        return None
    said = [q for q in parse(claim.text) if q.is_numeric and not q.year_like]
    words = claim.bag - claim.numbers
    whole = idf.total(words)
    for amount in said:
        number = plain_number(_digits(amount))
        holding = [s for r in evidence.readings for s in r.sentences if number in s.numbers]
        if len(holding) > _MOST_HOLDING or any(len(s.text) > _LONGEST for s in holding):
            continue
        # A number that stands in a sentence about something else is there by chance.
        close = [s for s in holding if idf.total(words & s.bag) >= _ALIGNED_BACK * whole]
        told = [(_against(claim.text, number, s), s) for s in close]
        clashes = [(clash, s) for clash, s in told if clash is not None]
        if clashes and len(clashes) == len(told):
            (one, other), held = max(clashes, key=lambda c: idf.total(words & c[1].bag))
            same = idf.total(words & held.bag) >= _ALIGNED * whole
            return f"{number} is of {one} here, of {other} in the passage", same
    if said:
        return None
    best = read.best[0].sentence
    clash = None if len(best.text) > _LONGEST else period_conflict(claim.text, best.text)
    if clash is None or any(not period_conflict(claim.text, h.sentence.text) for h in read.best):
        return None
    return f"{clash[0]} here, {clash[1]} in the passage", False


def owned_otherwise(read: ClaimRead, evidence: Evidence, idf: Idf) -> tuple[str, bool] | None:
    """(whose figure it is, is the rest of the claim the same?), or None.

    Every sentence that holds one of the claim's amounts and half of its words gives it to another
    company by name. The second part is False where the passage names the claim's company too.
    """
    claim = read.span
    if len(claim.text) > _LONGEST or not claim.numbers:
        return None
    words = claim.bag - claim.numbers
    whole = idf.total(words)
    for amount in (q for q in parse(claim.text) if q.is_numeric and not q.year_like):
        number = plain_number(_digits(amount))
        holding = [(s, r) for r in evidence.readings for s in r.sentences if number in s.numbers]
        if not holding or len(holding) > _MOST_HOLDING:
            continue
        close = [(s, r) for s, r in holding if idf.total(words & s.bag) >= _ALIGNED_BACK * whole]
        told = [(entity_conflict(claim.text, s.text), s, r) for s, r in close]
        clashes = [(clash, s, r) for clash, s, r in told if clash is not None]
        if clashes and len(clashes) == len(told):
            (one, other), held, _ = max(clashes, key=lambda c: idf.total(words & c[1].bag))
            rest = words - read_span(one).bag
            same = idf.total(rest & held.bag) >= _ALIGNED * (idf.total(rest) or 1.0)
            named = any(mentions(one, r.text) for r in evidence.readings)
            return f"{number} is of {one} here, of {other} in the passage", same and not named
    return None


def _against(claim: str, number: str, sentence: Span) -> tuple[str, str] | None:
    for amount in parse(sentence.text):
        if plain_number(_digits(amount)) == number:
            beside = period_beside(sentence.text, amount.end, stop=len(sentence.text))
            if beside is not None:
                return period_conflict(claim, beside)
    return period_conflict(claim, sentence.text)


def _flipped(claim: Span, sentence: Span) -> str | None:
    """A stem that one of the two negates, the other negating nothing; it stands once in either."""
    if bool(claim.negations) == bool(sentence.negations):
        return None
    for stem in sorted(claim.negated ^ sentence.negated):
        if claim.stems.count(stem) == 1 == sentence.stems.count(stem):
            return stem
    return None


def _replaced(claim: Span, best: Hit, missing: tuple[str, ...]) -> str | None:
    """A number of the claim that stands nowhere, where the sentence has another of its kind."""
    if len(best.sentence.text) > _LONGEST:
        return None
    said = parse(claim.text)
    given = parse(best.sentence.text)
    spare = [q for q in given if not any(_same(s, q) for s in said)]
    for quantity in said:
        if plain_number(_digits(quantity)) not in missing or any(_same(quantity, q) for q in given):
            continue
        rivals = [q for q in spare if q.kind == quantity.kind and q.unit == quantity.unit]
        if len(rivals) == 1 and _neighbours(claim, quantity, best, rivals[0]):
            return f"{quantity.text.strip()} stands where the passage has {rivals[0].text.strip()}"
    return None


def _digits(quantity: Quantity) -> str:
    return "".join(c for c in quantity.text if c.isdigit() or c in ".,").strip(".,")


def _same(a: Quantity, b: Quantity) -> bool:
    return compare_quantities(a, b).relation == "equal"


def _neighbours(claim: Span, said: Quantity, best: Hit, given: Quantity) -> bool:
    """Does the same content word stand just before or just after both numbers?"""
    one = _around(claim, plain_number(_digits(said)))
    other = _around(best.sentence, plain_number(_digits(given)))
    return any(a is not None and a == b for a, b in zip(one, other, strict=True))


def _around(span: Span, number: str) -> tuple[str | None, str | None]:
    if number not in span.stems:
        return (None, None)
    at = span.stems.index(number)
    after = span.stems[at + 1] if at + 1 < len(span.stems) else None
    return (span.stems[at - 1] if at else None, after)


def unmatched(read: ClaimRead) -> tuple[str, ...]:
    """Numbers of the claim that stand nowhere, also not rounded or at another scale ("1.2 million"
    for 1,200,000) in its best sentences. The number of a passage ("passage 3") states nothing."""
    if not read.missing or len(read.span.text) > _LONGEST:
        return read.missing
    quantities = parse(read.span.text)
    names = {plain_number(_digits(q)) for q in quantities if _names_a_passage(q)}
    names -= {plain_number(_digits(q)) for q in quantities if not _names_a_passage(q)}
    texts = [hit.sentence.text for hit in read.best if len(hit.sentence.text) <= _LONGEST]
    given = [quantity for text in texts for quantity in parse(text)]
    said = [q for q in quantities if plain_number(_digits(q)) in read.missing]
    equal = {plain_number(_digits(s)) for s in said if any(_same(s, g) for g in given)}
    return tuple(number for number in read.missing if number not in equal | names)


def _names_a_passage(quantity: Quantity) -> bool:
    return quantity.kind == "identifier" and quantity.text.casefold().startswith(_PASSAGE_NAMES)
