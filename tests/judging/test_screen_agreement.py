"""How often the shipped screen agrees with people on the shared real data.

These are the rows that the shipped coefficients were fitted on, so the figures lie a little above
the cross-validated ones, which `screen.json` states under "measured".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragdiag.judging.screen import Screen
from ragdiag.records import (
    CheckCorrectness,
    CheckSufficiency,
    CheckSupport,
    Claims,
    ExtractClaims,
    Sample,
    Verdict,
)
from ragdiag.stats.intervals import wilson


@pytest.fixture(scope="module")
def screen() -> Screen:
    return Screen()


def labelled(shared: Path, name: str) -> Iterator[tuple[Sample, str]]:
    """Samples with the majority label; ties and abstentions left out."""
    votes: dict[str, Counter[str]] = {}
    with (shared / "real" / f"{name}.labels.jsonl").open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            votes.setdefault(line["query_id"], Counter())[line["label"]] += 1
    with (shared / "real" / f"{name}.samples.jsonl").open(encoding="utf-8") as lines:
        for sample in map(Sample.model_validate_json, lines):
            ranked = votes.get(sample.query_id, Counter()).most_common(2)
            tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
            if ranked and not tied and ranked[0][0] != "abstained":
                yield sample, ranked[0][0]


def support(screen: Screen, sample: Sample) -> Verdict:
    answer = sample.answer or ""
    claims = screen.reply(
        ExtractClaims(query_id=sample.query_id, query=sample.query, answer=answer)
    )
    assert isinstance(claims, Claims)
    verdict = screen.reply(
        CheckSupport(
            query_id=sample.query_id,
            query=sample.query,
            history=sample.history,
            answer=answer,
            claims=claims.claims,
            passages=sample.retrieved or (),
        )
    )
    assert isinstance(verdict, Verdict)
    return verdict


def faithfulness(screen: Screen, sample: Sample) -> str | None:
    overall = support(screen, sample).overall
    return overall.label if overall else None


def citation_support(screen: Screen, sample: Sample) -> str | None:
    labels = [finding.label for finding in support(screen, sample).findings]
    if any(label in ("not_found", "contradicted") for label in labels):
        return "unsupported"
    return "supported" if labels and set(labels) == {"supported"} else None


def sufficiency(screen: Screen, sample: Sample) -> str | None:
    verdict = screen.reply(
        CheckSufficiency(
            query_id=sample.query_id, query=sample.query, passages=sample.retrieved or ()
        )
    )
    assert isinstance(verdict, Verdict)
    return verdict.label


def correctness(screen: Screen, sample: Sample) -> str | None:
    verdict = screen.reply(
        CheckCorrectness(
            query_id=sample.query_id,
            query=sample.query,
            reference=sample.reference,
            answer=sample.answer or "",
        )
    )
    assert isinstance(verdict, Verdict)
    return verdict.label


@pytest.mark.parametrize(
    ("name", "ask", "agreement", "share"),
    [
        ("ragtruth_qa", faithfulness, 0.85, 0.5),
        ("mtrag", faithfulness, 0.92, 0.5),
        ("attribution", citation_support, 0.85, 0.5),
        ("sufficiency", sufficiency, 0.79, 0.5),
        ("nq301", correctness, 0.90, 0.45),
        ("financebench", correctness, 0.95, 0.50),
    ],
)
def test_agreement_on_what_the_screen_decides(
    shared: Path,
    screen: Screen,
    record_property: object,
    name: str,
    ask: object,
    agreement: float,
    share: float,
) -> None:
    said = [(ask(screen, sample), label) for sample, label in labelled(shared, name)]  # pyright: ignore
    decided = [(mine, label) for mine, label in said if mine is not None]
    right = sum(mine == label for mine, label in decided)
    low, high = wilson(right, len(decided))
    stated = (
        f"{name}: decided {len(decided)} of {len(said)}, agrees with people on "
        f"{right / len(decided):.3f} [{low:.3f}, {high:.3f}]"
    )
    record_property("agreement", stated)  # pyright: ignore
    print(stated)
    assert right / len(decided) >= agreement, stated
    assert len(decided) / len(said) >= share, stated


def test_quotes_stand_in_their_passages(shared: Path, screen: Screen) -> None:
    checked = 0
    for sample, _ in labelled(shared, "mtrag"):
        texts = {passage.passage_id: passage.text or "" for passage in sample.retrieved or ()}
        for finding in support(screen, sample).findings:
            if finding.quote is not None and finding.passage_id is not None:
                assert finding.quote in texts[finding.passage_id]
                checked += 1
    assert checked > 1000
