"""Numbers as people write them: `parse` reads them, `compare` says how two stand to each other."""

from ragdiag.text.numbers.compare import TOLERANCE, as_millions, compare_quantities
from ragdiag.text.numbers.parsing import compare, parse
from ragdiag.text.numbers.quantity import NUMERIC_KINDS, Comparison, Quantity

__all__ = [
    "NUMERIC_KINDS",
    "TOLERANCE",
    "Comparison",
    "Quantity",
    "as_millions",
    "compare",
    "compare_quantities",
    "parse",
]
