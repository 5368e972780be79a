from __future__ import annotations

import numpy as np
import pytest

from ragdiag.records import Diagnosis, Reached, SampleResult, Settings, missing, scored
from ragdiag.report import cluster_sums
from ragdiag.report.cluster_sums import Cases, ClusterSums, cases_share, cluster_key
from ragdiag.report.fix_first import FixFirst
from ragdiag.report.loss import Loss
from ragdiag.report.tally import share
from ragdiag.stats.clusters import cluster_interval
from ragdiag.stats.intervals import wilson


def cases(*clusters: str | None) -> Cases:
    found = Cases()
    for cluster in clusters:
        found.add(cluster)
    return found


def interval(sums: list[float], sizes: list[float]) -> tuple[float, float]:
    found = cluster_interval(np.array(sums), np.array(sizes), squares=sum(sums), zero_one=True)
    assert found is not None
    return found.low, found.high


def test_a_share_by_cluster() -> None:
    """a: 2 of 3, b: 0 of 1, c: 1 of 2."""
    told = cases_share([cases("a", "a"), cases("c")], [cases(*"aaab"), cases("c", "c")])
    assert (told["n"], told["share"]) == (3, 0.5)
    assert (told["ci_low"], told["ci_high"]) == interval([2, 0, 1], [3, 1, 2])


def test_without_clusters_it_is_the_plain_share() -> None:
    assert cases_share([cases(None)], [cases(None, None)]) == share(1, 2)
    assert cases_share([cases()], [cases()])["share"] is None


def test_whole_clusters_are_dealt_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_sums, "_MOST", 10)
    many, few = ClusterSums(), ClusterSums()
    for n in range(40):
        many.add(f"d{n % 20}", 0.5)
        few.add(f"d{n % 3}", 1.0, 0)
    told = ClusterSums.totals([many, few], [many])
    assert told is not None
    assert told.n is None
    assert (told.sums.sum(), told.sizes.sum()) == (20 + 40, 40)
    assert len(told.sizes) <= 10
    back = ClusterSums()
    for n in reversed(range(40)):
        back.add(f"d{n % 20}", 0.5)
    again = ClusterSums.totals([back], [back])
    assert again is not None
    assert sorted(again.sizes) == sorted(told.sizes)


def result(query_id: str, code: str, cluster: str | None = None, **changes: object) -> SampleResult:
    family = {"K1": "success", "G4": "generation"}[code]
    return SampleResult.model_validate(
        {
            "query_id": query_id,
            "scores": {"answer_correctness": scored(float(code == "K1"))},
            "diagnosis": Diagnosis(code=code, family=family, codes=(code,)),
            "cluster": cluster,
            **changes,
        }
    )


def test_a_result_without_a_cluster_is_its_own() -> None:
    by_doc = Settings(cluster="doc")
    assert cluster_key(result("q", "K1"), Settings()) is None
    assert cluster_key(result("q", "K1", "a"), by_doc) == "a"
    one, other = (cluster_key(result(q, "K1"), by_doc) for q in ("q", "r"))
    assert one != other


def test_what_to_fix_first_is_by_cluster() -> None:
    """Of six queries in three documents two are the generator's fault, both of document a."""
    first, plain = FixFirst(), FixFirst()
    for at, (code, cluster) in enumerate(zip(["G4", "G4", *["K1"] * 4], "aabbcc", strict=True)):
        first.add(result(f"q{at}", code), cluster=cluster)
        plain.add(result(f"q{at}", code))
    (row,), (same,) = first.report(), plain.report()
    assert (row["ci_low"], row["ci_high"]) == interval([2, 0, 0], [2, 2, 2])
    assert (same["ci_low"], same["ci_high"]) == wilson(2, 6)
    gain = row["gain"]
    assert gain["upper_bound"] == 1
    assert (gain["ci_low"], gain["ci_high"]) == interval([2, 2, 2], [2, 2, 2])
    mean = gain["answer_correctness"]
    assert (mean["upper_bound"], mean["ci_low"]) == (1, interval([2, 2, 2], [2, 2, 2])[0])
    assert {**row, "ci_low": 0, "ci_high": 0, "gain": 0} == {**same, "ci_low": 0, "ci_high": 0, "gain": 0}  # fmt: skip


def test_an_answer_that_is_unscored_gains_too() -> None:
    first = FixFirst()
    first.add(result("a", "G4", scores={"answer_correctness": missing("undecided")}), cluster="a")
    first.add(result("b", "K1"), cluster="b")
    (row,) = first.report()
    mean = row["gain"]["answer_correctness"]
    assert (mean["upper_bound"], mean["ci_low"]) == (1, interval([1, 1], [1, 1])[0])


def test_losses_are_by_cluster() -> None:
    by_cluster, plain = Loss(), Loss()
    for at, after in enumerate([0, 0, 1, 1, 1, 1]):
        lists = (Reached(name="retrieved", n=9, share=1), Reached(name="context", n=3, share=after))
        one = result(f"q{at}", "K1", reached=lists)
        by_cluster.add(one, cluster="aabbcc"[at])
        plain.add(one)
    (row,), (same,) = by_cluster.report(), plain.report()
    assert row["lost"] == same["lost"] == pytest.approx(1 / 3)
    assert row["ci_low"] < same["ci_low"]
    assert row["ci_high"] > same["ci_high"]
