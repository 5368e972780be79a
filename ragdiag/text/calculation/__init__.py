"""How a number follows from the numbers of a text, and what went wrong where it does not."""

from ragdiag.text.calculation.derivation import Derivation, derive, significant_digits
from ragdiag.text.calculation.explanation import Cause, Explanation, explain
from ragdiag.text.tables import Operand, operands_of

__all__ = [
    "Cause", "Derivation", "Explanation", "Operand", "derive", "explain", "operands_of",
    "significant_digits",
]  # fmt: skip
