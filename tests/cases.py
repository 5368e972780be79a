"""Small samples and verdicts that tests share."""

from __future__ import annotations

from typing import Any

from ragdiag.records import (
    Claim,
    Claims,
    Corpus,
    Finding,
    Reply,
    Sample,
    Settings,
    Verdict,
)
from ragdiag.text.case import Case


def passage(passage_id: str, text: str = "", **fields: Any) -> dict[str, Any]:
    """A passage of the document that its id names: "a#2" is of document a."""
    return {
        "passage_id": passage_id,
        "doc_id": passage_id.partition("#")[0],
        "text": text,
        **fields,
    }


def case(
    *replies: Reply, corpus: Corpus | None = None, settings: Settings | None = None, **fields: Any
) -> Case:
    """A case of one sample with the given fields."""
    sample = Sample.model_validate({"query_id": "q", "query": "What was it?", **fields})
    return Case(sample, settings=settings or Settings(), replies=replies, corpus=corpus)


def claims(answer: str, *texts: str) -> Claims:
    """Claims c1, c2, … that stand word for word in the answer."""
    found = [
        Claim(claim_id=f"c{n}", text=t, start=answer.index(t), end=answer.index(t) + len(t))
        for n, t in enumerate(texts, 1)
    ]
    return Claims(query_id="q", claims=tuple(found))


def support(*findings: Finding, judge: str = "llm:m", **fields: Any) -> Verdict:
    """The verdict on the claims."""
    return Verdict(query_id="q", check="support", findings=findings, judge=judge, **fields)


def finding(item_id: str, label: str | None, **fields: Any) -> Finding:
    """One claim's, passage's or component's label; None is undecided."""
    unscored = {} if label is not None else {"unscored": "undecided"}
    return Finding(item_id=item_id, label=label, **{**unscored, **fields})


def people(check: str, label: str | None = None, **fields: Any) -> Verdict:
    """A verdict of people."""
    return Verdict(query_id="q", check=check, label=label, basis="labels", judge="people", **fields)
