from __future__ import annotations

import pytest

from ragdiag.evaluation.health.traffic import (
    QueryProfile,
    compare_with_traffic,
    coverage,
    distance,
)


def profile(*queries: str) -> QueryProfile:
    found = QueryProfile()
    for query in queries:
        found.add(query)
    return found


def test_profile_counts() -> None:
    counts = profile(
        "What is the fee?",
        "whats new",
        "does it rain in spring",
        "reset the router E1042",
        "Wie hoch ist das?",
    ).counts
    assert counts["opening"] == {
        "what": 2, "yes/no question": 1, "no question word": 1, "not English": 1,
    }  # fmt: skip
    assert counts["length"] == {"4-7 words": 4, "1-3 words": 1}
    assert counts["identifier"] == {"without": 4, "with one": 1}
    assert counts["language"] == {"en": 4, "de": 1}
    assert profile("").counts["length"] == {"1-3 words": 1}
    assert profile("word " * 31).counts["length"] == {"over 30 words": 1}


def test_distance_is_half_the_sum_of_differences() -> None:
    """.8/.2 against .5/.5: (.3 + .3) / 2 = .3. Chi-square of [[80, 20], [50, 50]] is 19.78."""
    found = distance({"a": 80, "b": 20}, {"a": 50, "b": 50})
    assert found.distance == pytest.approx(0.3)
    assert (found.value, found.share_set, found.share_traffic) == ("a", 0.8, 0.5)
    assert found.p_value == pytest.approx(8.7e-6, rel=0.02)
    assert found.differs


def test_neither_chance_nor_a_trifle_is_a_difference() -> None:
    assert not distance({"a": 8, "b": 2}, {"a": 5, "b": 5}).differs  # few
    assert not distance({"a": 5500, "b": 4500}, {"a": 5000, "b": 5000}).differs  # .05
    same = distance({"a": 7}, {"a": 9})
    assert (same.distance, same.p_value, same.differs) == (0.0, None, False)


def test_rare_values_are_pooled_not_dropped() -> None:
    """30 values of two queries each, only in the set: alone each is too rare to be tested."""
    rare = {f"v{n}": 2 for n in range(30)}
    found = distance({"a": 40, **rare}, {"a": 100})
    assert found.distance == pytest.approx(0.6)
    assert found.differs


def words(prefix: str, n: int) -> list[str]:
    return [f"how does {prefix}{i % 40} treat {prefix}{i % 7}" for i in range(n)]


def test_a_set_drawn_from_the_traffic_has_nothing_to_say() -> None:
    traffic = words("topic", 400)
    found = compare_with_traffic(profile(*traffic[::4]), profile(*traffic))
    assert list(found.findings()) == []
    assert set(found.to_dict()["distributions"]) == {"length", "opening", "identifier", "language"}


def test_another_kind_of_queries_is_told_with_both_shares() -> None:
    keywords = [f"topic{'abcdefgh'[i % 8]} rules" for i in range(200)]
    asked = [f"what are the rules that hold for topic{'abcdefgh'[i % 8]} today" for i in range(100)]
    found = {
        f.kind: f for f in compare_with_traffic(profile(*asked), profile(*keywords)).findings()
    }
    assert set(found) == {"unlike_traffic_length", "unlike_traffic_opening"}
    told = found["unlike_traffic_length"].message
    assert "1-3 words 0% here, 100% there (distance 1.00)" in told
    assert found["unlike_traffic_length"].todo.startswith("add such queries")


def test_missing_topics_are_seen_against_what_a_set_of_this_size_can_know() -> None:
    ours, traffic = profile(*words("fees", 100)), profile(*words("fees", 100), *words("tax", 300))
    known = coverage(ours, traffic)
    assert known is not None
    assert known.by_set < 0.7 < known.by_traffic
    kinds = [f.kind for f in compare_with_traffic(ours, traffic).findings()]
    assert kinds == ["unlike_traffic_vocabulary"]


def test_a_set_is_never_compared_with_more_queries_than_half_of_the_traffic() -> None:
    known = coverage(profile(*words("fees", 200)), profile(*words("fees", 160)))
    assert known is not None
    assert (known.n, known.n_traffic) == (80, 80)
    short = coverage(profile(*words("fees", 60)), profile(*words("fees", 160)))
    assert short is not None
    assert (short.n, short.n_traffic) == (60, 100)


def test_few_queries_are_not_compared() -> None:
    found = compare_with_traffic(profile(*words("a", 49)), profile(*words("b", 400)))
    assert [f.kind for f in found.findings()] == ["traffic_too_few"]
    assert found.to_dict()["distributions"] == {}
    assert found.vocabulary is None
    assert coverage(profile(*words("a", 60)), profile(*["?"] * 200)) is None


def test_the_order_of_the_queries_changes_nothing() -> None:
    queries = words("x", 300)
    forth = compare_with_traffic(profile(*queries[:80]), profile(*queries))
    back = compare_with_traffic(profile(*queries[:80][::-1]), profile(*queries[::-1]))
    assert forth.to_dict() == back.to_dict()
