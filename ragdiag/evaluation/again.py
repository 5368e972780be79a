"""What `ragdiag.evaluate` needs to come to the same result on one query: for tests to copy."""

from __future__ import annotations

from typing import Any

from ragdiag.evaluation.manifest import Manifest
from ragdiag.judging.grammar import Leaf, Node, parse

_OF_MEANS = ("gold_as_retrieved", "cluster", "min_coverage")
"""Settings that are found in all samples, or of means: no part of one query's result."""
_ASKED = "A model is asked again: at OPENAI_BASE_URL, or name its place: llm:MODEL@URL."


def again_record(manifest: Manifest) -> dict[str, Any]:
    """JSON-like. evaluate: keyword arguments beside the samples (corpus, judge; paths as they were
    given to the evaluation); settings: those of `Settings` that are not the default; note: a word
    for whoever runs the test, or "".

    What `--model` named is filled in where one model was asked; an address stands in it only where
    the judge's spec names it.
    """
    evaluate: dict[str, Any] = {}
    corpus = manifest.inputs.get("corpus", [])
    if corpus:
        evaluate["corpus"] = corpus[0]
    models = [name.removeprefix("llm:") for name in manifest.abilities]
    judge = _written(parse(manifest.judge_spec), models[0] if len(models) == 1 else "")
    if judge != "screen":
        evaluate["judge"] = judge
    settings = manifest.settings.model_dump(
        mode="json", exclude_defaults=True, exclude=set(_OF_MEANS)
    )
    return {"evaluate": evaluate, "settings": settings, "note": _ASKED if models else ""}


def _written(node: Node, model: str) -> str:
    if isinstance(node, Leaf):
        rest = node.rest or (model if node.kind == "llm" else "")
        return f"{node.kind}:{rest}" if rest else node.kind
    members = (
        _written(one, model) if isinstance(one, Leaf) else f"({_written(one, model)})"
        for one in node.members
    )
    return f"{node.kind}:{','.join(members)}"
