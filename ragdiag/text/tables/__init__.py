"""Tables in plain text: every number with its row, column, unit and scale."""

from ragdiag.text.tables.operands import Operand, operands_of

__all__ = ["Operand", "operands_of"]
