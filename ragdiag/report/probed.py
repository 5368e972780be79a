"""How far a judge moves where nothing that it should weigh has changed, and where it must move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ragdiag.records import LABELS, LabelResult
from ragdiag.stats.comparison import difference_interval, mcnemar, randomization
from ragdiag.stats.intervals import wilson
from ragdiag.stats.multiplicity import holm

if TYPE_CHECKING:
    from ragdiag.stats.agreement_intervals import Floats

LEVEL = 0.05


class _Pair(Protocol):
    @property
    def cluster(self) -> str: ...
    @property
    def before(self) -> LabelResult | None: ...
    @property
    def after(self) -> LabelResult | None: ...


class _Probed(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def expects(self) -> str: ...
    @property
    def pairs(self) -> Mapping[str, Sequence[_Pair]]: ...
    @property
    def n_not_applicable(self) -> int: ...


def probe_rows(probed: Iterable[_Probed]) -> list[dict[str, Any]]:
    """A row a probe and check, in order; see `_same`, `_worse`, `_fails`. p-values of the probes
    that should move nothing are corrected by Holm over all of them."""
    rows: list[dict[str, Any]] = []
    for one in probed:
        for check, pairs in one.pairs.items():
            head = {
                "probe": one.name, "what": one.what, "expects": one.expects, "check": check,
                "n_total": len(pairs), "n_not_applicable": one.n_not_applicable,
            }  # fmt: skip
            rows.append({**head, **_OF[one.expects](check, pairs)})
    tested = [row for row in rows if row.get("p") is not None]
    for row, p in zip(tested, holm([row["p"] for row in tested]), strict=True):
        row["p_holm"] = p
    for row in rows:
        row["reading"] = _reading(row)
    return rows


def _passes(check: str, told: LabelResult | None) -> bool | None:
    """Is it the pass of the check? None where it is undecided, or nothing was asked."""
    return None if told is None or told.label is None else told.label == LABELS[check][0]


def _judged(told: LabelResult | None) -> bool:
    return told is not None and told.basis == "judged"


def _same(check: str, pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Of the answers that the judge decides before and after: those that become a pass and those
    that stop being one, the change of the share of passes with its interval (questions drawn
    whole), and the mean change of the score."""
    asked = [one for one in pairs if _judged(one.before)]
    both = [
        (one, before, after)
        for one in asked
        if (before := _passes(check, one.before)) is not None
        and (after := _passes(check, one.after)) is not None
    ]
    moved = [int(after) - int(before) for _, before, after in both]
    low, high = _interval(moved, [one.cluster for one, *_ in both])
    return {
        "n_asked": len(asked),
        "n": len(both),
        "n_unscored_before": sum(_passes(check, one.before) is None for one in asked),
        "n_unscored_after": sum(_passes(check, one.after) is None for one in asked),
        "n_to_pass": moved.count(1),
        "n_from_pass": moved.count(-1),
        "delta": sum(moved) / len(moved) if moved else None,
        "ci_low": low,
        "ci_high": high,
        "p": _p(moved, [one.cluster for one, *_ in both]) if moved else None,
        "score_delta": _scores(asked),
    }


def _scores(asked: Sequence[_Pair]) -> dict[str, Any] | None:
    told = [
        (one.after.score - one.before.score, one.cluster)
        for one in asked
        if one.before is not None and one.after is not None
        and one.before.score is not None and one.after.score is not None
    ]  # fmt: skip
    if not told:
        return None
    deltas = [delta for delta, _ in told]
    low, high = _interval(deltas, [cluster for _, cluster in told])
    mean = sum(deltas) / len(deltas)
    return {"value": mean, "ci_low": low, "ci_high": high, "n": len(deltas)}


def _worse(check: str, pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Of what the judge passed before: how often it is none any more, undecided counted apart."""
    passed = [one for one in pairs if _judged(one.before) and _passes(check, one.before)]
    after = Counter(_passes(check, one.after) for one in passed)
    changed = after[False] + after[None]
    return {**_rate(changed, len(passed)), "n_changed": changed, "n_undecided": after[None]}


def _fails(check: str, pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Of all: how often what must fail is passed. What code settles before a judge counts too."""
    passed = sum(bool(_passes(check, one.after)) for one in pairs)
    return {**_rate(passed, len(pairs)), "n_passed": passed}


_OF = {"same": _same, "worse": _worse, "fails": _fails}


def _rate(k: int, n: int) -> dict[str, Any]:
    if not n:
        return {"n": 0, "rate": None, "ci_low": None, "ci_high": None}
    low, high = wilson(k, n)
    return {"n": n, "rate": k / n, "ci_low": low, "ci_high": high}


def _numbers(clusters: Sequence[str]) -> Any:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    return (
        None if len(set(clusters)) == len(clusters) else np.unique(clusters, return_inverse=True)[1]
    )


def _interval(
    values: Sequence[float], clusters: Sequence[str]
) -> tuple[float | None, float | None]:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    array: Floats = np.array(values, dtype=np.float64)
    return difference_interval(array, clusters=_numbers(clusters), span=(-1.0, 1.0))


def _p(moved: Sequence[int], clusters: Sequence[str]) -> float:
    numbers = _numbers(clusters)
    if numbers is None:
        return mcnemar(moved.count(1), moved.count(-1))
    return randomization(list(map(float, moved)), clusters=numbers).p


def _reading(row: Mapping[str, Any]) -> str:
    """The row in words."""
    if not row["n"]:
        return "code decides" if row.get("n_asked") == 0 else "nothing to compare"
    if row["expects"] == "fails":
        return "as it must" if not row["n_passed"] else f"{row['n_passed']} PASS"
    if row["expects"] == "worse":
        kept = row["n"] - row["n_changed"]
        return "as it must" if not kept else f"{kept} STILL PASS"
    if row["p_holm"] <= LEVEL:
        return "LENIENT" if row["delta"] > 0 else "STRICT"
    flips = row["n_to_pass"] + row["n_from_pass"]
    return f"{flips} move, no side shown" if flips else "none moves"
