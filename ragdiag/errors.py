"""Every exception that ragdiag raises on purpose.

RagdiagError
├── UsageError              a setting or command line that cannot work (exit 2)
│   └── MissingExtraError   an optional package is not installed; names the pip install line
├── DataError               input that cannot be read; carries the problems (exit 2)
├── IncompleteError         the evaluation stopped early: budget, deadline, too many errors (exit 3)
├── Unscored                a reply that yields no label; carries a reason of the closed list
└── ChatError               a model call that failed; carries a reason of the closed list
    ├── RateLimited         429 with a way to continue; carries retry_after in seconds
    ├── QuotaExceeded       the account is out of credit: waiting does not help
    ├── TransientError      timeouts, dropped connections, 5xx: worth another try
    └── PermanentError      a request or key that the server will never accept
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragdiag.records.problem import Problem


class RagdiagError(Exception):
    """Root of all exceptions raised on purpose."""


class UsageError(RagdiagError):
    """A setting or command line that cannot work; the message says what came and what to do."""


class MissingExtraError(UsageError):
    """An optional package is needed and absent."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}: pip install 'ragdiag-eval[{extra}]' "
            f"(from a checkout: pip install -e '.[{extra}]')"
        )


class DataError(RagdiagError):
    """Input that cannot be read.

    `problems` holds the first problems found, `n_problems` how many there were in all.
    """

    def __init__(
        self, message: str, problems: Sequence[Problem] = (), n_problems: int | None = None
    ) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.n_problems = len(self.problems) if n_problems is None else n_problems


class IncompleteError(RagdiagError):
    """The evaluation stopped before its end; what was done is on disk."""


class Unscored(RagdiagError):
    """A judge's reply that yields no label.

    `reason` is a plain string of `ragdiag.records.UNSCORED`; `detail` says what was seen.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class ChatError(RagdiagError):
    """A model call that failed. `reason` is a plain string of `ragdiag.records.ERROR`."""

    def __init__(self, reason: str, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status


class RateLimited(ChatError):
    """The server asks to wait; `retry_after` is in seconds, or None where it did not say."""

    def __init__(
        self, message: str, *, status: int | None = 429, retry_after: float | None = None
    ) -> None:
        super().__init__("rate_limited", message, status=status)
        self.retry_after = retry_after


class QuotaExceeded(ChatError):
    """The account is out of credit: waiting does not help."""

    def __init__(self, message: str, *, status: int | None = 429) -> None:
        super().__init__("quota", message, status=status)


class TransientError(ChatError):
    """Worth another try: a timeout, a dropped connection, a 5xx."""


class PermanentError(ChatError):
    """A request, model or key that the server will never accept as it is."""
