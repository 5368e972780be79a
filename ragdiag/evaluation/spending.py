"""What earlier runs into an evaluation directory took of its budget, and the file that keeps it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ragdiag.chat.cache_file import CacheFile
from ragdiag.chat.prices import Prices
from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at


def spent_so_far(out: Path, prices: Prices) -> tuple[float, tuple[str, ...]]:
    """US dollars, and a warning where it is not known of all calls.

    What a run with a budget noted down counts what was under way when it was stopped. Where none
    was noted: the cost of the verdicts, and that of the kept replies that no verdict rests on,
    since a run that was stopped paid for them.
    """
    usd, n_unknown, keys = 0.0, 0, set[str]()
    for judged in at.read_judgements(out / at.VERDICTS).values():
        usd += judged.usage.usd or 0.0
        n_unknown += judged.usage.calls if judged.usage.usd is None else 0
        for reply in judged.replies:
            keys.update((reply.trace or "").split(","))
    noted = _noted(out)
    if noted is not None:
        usd = max(usd, noted)
    elif (out / at.CACHE).exists():
        with closing(CacheFile(out / at.CACHE)) as file:
            beside, n_beside = file.spent_beside(keys, prices)
        usd, n_unknown = usd + beside, n_unknown + n_beside
    told = f"--budget: what {n_unknown} earlier calls cost is not known, and not counted"
    return usd, (told,) if n_unknown else ()


def noting(out: Path) -> Callable[[float], None]:
    """What keeps in the directory how much was spent in all."""

    def note(usd: float) -> None:
        out.mkdir(parents=True, exist_ok=True)
        at.write_atomically(out / at.SPENT, at.to_json({"usd": usd}))

    return note


def _noted(out: Path) -> float | None:
    if not (out / at.SPENT).exists():
        return None
    usd = at.read_json(out / at.SPENT).get("usd")
    if not isinstance(usd, (int, float)) or isinstance(usd, bool) or not usd >= 0:
        raise DataError(
            f'{out / at.SPENT} cannot be read: {{"usd": NUMBER}} is needed, 0 or more; delete it, '
            "and what was spent is counted from the verdicts"
        )
    return float(usd)
