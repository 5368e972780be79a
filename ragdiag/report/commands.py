"""Commands that are printed to be copied."""

from __future__ import annotations

import shlex
from pathlib import Path

_LONGEST_TYPED = 60  # an id that is typed into a command


def explain_command(query_id: str, directory: Path) -> str:
    """`ragdiag explain q57 -d DIR`; QUERY_ID where the id is nothing to type."""
    plain = query_id.isprintable() and len(query_id) <= _LONGEST_TYPED and query_id[:1] != "-"
    told = shlex.quote(query_id) if plain else "QUERY_ID"
    return f"ragdiag explain {told} -d {shlex.quote(str(directory))}"
