"""How far a judge moves where nothing that it should weigh has changed, and where it must move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ragdiag.records import LABELS
from ragdiag.report.check_said import CheckSaid
from ragdiag.stats.comparison import difference_interval, mcnemar, randomization
from ragdiag.stats.multiplicity import holm

if TYPE_CHECKING:
    from ragdiag.stats.agreement_intervals import Floats

LEVEL = 0.05


class _Pair(Protocol):
    @property
    def cluster(self) -> str: ...
    @property
    def before(self) -> CheckSaid: ...
    @property
    def after(self) -> CheckSaid: ...


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


def _passes(check: str, told: CheckSaid) -> bool | None:
    """Is it the pass of the check? None where it has no label."""
    return None if told.label is None else told.label == LABELS[check][0]


def _same(check: str, pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Of the answers that the judge decides before and after: those that become a pass and those
    that stop being one, the change of the share of passes with its interval (questions drawn
    whole), and the mean change of the score.

    n_asked are those that the judge was asked about as they are; n_silenced of them were decided
    before and are left open after; why there is no label is counted on either side.
    """
    asked = [one for one in pairs if one.before.asked]
    both = [
        (one, before, after)
        for one in asked
        if (before := _passes(check, one.before)) is not None
        and (after := _passes(check, one.after)) is not None
    ]
    moved = [int(after) - int(before) for _, before, after in both]
    low, high = _interval(moved, [one.cluster for one, *_ in both])
    silenced = [one for one in asked if one.before.label is not None and one.after.label is None]
    return {
        "n_asked": len(asked),
        "n_settled": _n_settled(pairs),
        "n": len(both),
        "n_silenced": sum(not one.after.is_lost for one in silenced),
        "unscored_before": _reasons(one.before for one in asked),
        "unscored_after": _reasons(one.after for one in asked),
        **_lost(asked),
        "n_to_pass": moved.count(1),
        "n_from_pass": moved.count(-1),
        "delta": sum(moved) / len(moved) if moved else None,
        "ci_low": low,
        "ci_high": high,
        "p": _p(moved, [one.cluster for one, *_ in both]) if moved else None,
        "score_delta": _scores(asked),
    }


def _n_settled(pairs: Sequence[_Pair]) -> int:
    """What code, gold or people settle before any judge is asked."""
    return sum(one.before.applies and not one.before.asked for one in pairs)


def _lost(pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Pairs of which one side broke or yields nothing, and the reasons of both sides."""
    sides = [one for pair in pairs for one in (pair.before, pair.after) if one.is_lost]
    n = sum(pair.before.is_lost or pair.after.is_lost for pair in pairs)
    return {"n_lost": n, "lost": _reasons(sides)}


def _reasons(told: Iterable[CheckSaid]) -> dict[str, int]:
    """Why there is no label, the commonest reason first."""
    return dict(Counter(one.why for one in told if one.why is not None).most_common())


def _scores(asked: Sequence[_Pair]) -> dict[str, Any] | None:
    told = [
        (one.after.score - one.before.score, one.cluster)
        for one in asked
        if one.before.score is not None and one.after.score is not None
    ]
    if not told:
        return None
    deltas = [delta for delta, _ in told]
    low, high = _interval(deltas, [cluster for _, cluster in told])
    mean = sum(deltas) / len(deltas)
    return {"value": mean, "ci_low": low, "ci_high": high, "n": len(deltas)}


def _worse(check: str, pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Of what the judge passed before: how often it is none any more, left open counted apart too.

    Where its call broke or its reply cannot be used, it has noticed nothing: left out, by reason.
    """
    asked = [one for one in pairs if one.before.asked]
    passed = [one for one in asked if _passes(check, one.before)]
    heard = [one for one in passed if not one.after.is_lost]
    changed = [(not _passes(check, one.after), one) for one in heard]
    return {
        "n_asked": len(asked),
        "n_settled": _n_settled(pairs),
        "n_passed_before": len(passed),
        **_rate(changed),
        "n_changed": sum(true for true, _ in changed),
        "n_undecided": sum(one.after.label is None for one in heard),
        "unscored_after": _reasons(one.after for one in passed),
        **_lost(passed),
    }


def _fails(check: str, pairs: Sequence[_Pair]) -> dict[str, Any]:
    """Of the answers that can be judged: how often what must fail is passed.

    What code settles before a judge counts too; `n_judged` is what was left to the judge. Where its
    call broke or its reply cannot be used, it has failed nothing: left out, by reason.
    """
    can_be = [one for one in pairs if one.before.applies]
    heard = [one for one in can_be if not one.after.is_lost]
    passed = [(bool(_passes(check, one.after)), one) for one in heard]
    return {
        "n_asked": len(can_be),
        **_rate(passed),
        "n_judged": sum(one.after.asked for one in heard),
        "n_passed": sum(true for true, _ in passed),
        "unscored_after": _reasons(one.after for one in can_be),
        **_lost([one for one in can_be if one.after.is_lost]),
    }


_OF = {"same": _same, "worse": _worse, "fails": _fails}


def _rate(told: Sequence[tuple[bool, _Pair]]) -> dict[str, Any]:
    """The share that is true, and its interval: answers to one question are one cluster."""
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats.agreement_intervals import rate_interval  # noqa: PLC0415 - loads numpy

    n, k = len(told), sum(true for true, _ in told)
    code = np.unique([one.cluster for _, one in told], return_inverse=True)[1]
    sums = np.bincount(code, weights=[float(true) for true, _ in told]).astype(np.float64)
    found = rate_interval(sums, np.bincount(code).astype(np.float64))
    if found is None:
        return {"n": 0, "rate": None, "ci_low": None, "ci_high": None}
    return {"n": n, "rate": k / n, "ci_low": found.low, "ci_high": found.high}


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
        return _nothing(row)
    if row["expects"] == "fails":
        if row["n_passed"]:
            return f"{row['n_passed']} PASS"
        return "as it must" if row["n_judged"] else "code decides"
    if row["expects"] == "worse":
        kept = row["n"] - row["n_changed"]
        return "as it must" if not kept else f"{kept} STILL PASS"
    if row["p_holm"] <= LEVEL:
        return "LENIENT" if row["delta"] > 0 else "STRICT"
    return "no side shown" if row["n_to_pass"] + row["n_from_pass"] else "none moves"


def _nothing(row: Mapping[str, Any]) -> str:
    """Why a row has nothing to count."""
    if not row["n_asked"]:
        return "code decides" if row.get("n_settled") else "nothing to judge"
    if row["n_lost"]:
        return "no usable reply"
    return "none passed before" if row.get("n_passed_before") == 0 else "all left open"
