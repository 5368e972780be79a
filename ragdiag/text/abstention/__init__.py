"""Does an answer abstain: say that it cannot tell, or that its sources do not say?"""

from __future__ import annotations

from ragdiag.text.abstention.deciding import abstains, is_abstention_reference

__all__ = ["abstains", "is_abstention_reference"]
