"""Questions on halls that code alone cannot decide, and what a good model says of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def sample(number: int) -> dict[str, Any]:
    """An answer on which code cannot decide, with a reference and a gold text of telling words."""
    passages = [
        {"passage_id": f"p{number}", "text": f"In Hall-{number} the ceiling was painted by Mira Solberg."},
        {"passage_id": f"x{number}", "text": "The floor is of oak."},
    ]  # fmt: skip
    return {
        "query_id": f"q{number}",
        "query": f"Whose work is the ceiling of Hall-{number}?",
        "history": [["user", f"HISTORYWORD{number}: we are in the old wing."]],
        "reference": [f"REFERENCEWORD{number}, the pupil of Rasmus from the north"],
        "gold": [[{"passage_id": f"p{number}", "text": f"GOLDWORD{number} by Mira Solberg."}]],
        "target": {"metric": "painter of the ceiling"},
        "retrieved": passages,
        "answer": "The ceiling was painted by Mira Solberg, and she came from Alta [1].",
    }


def samples(folder: Path, n: int) -> Path:
    """The first n samples as a file in the folder."""
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(sample(number)) + "\n" for number in range(n)))
    return path


def kind(body: Mapping[str, Any]) -> str:
    """What a request asks for: claims, support, evidence or correctness."""
    return body["response_format"]["json_schema"]["name"]


def said(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a good model replies to a request about the samples above."""
    quote = "painted by Mira Solberg"
    if kind(body) == "claims":
        claims = [("c1", quote), ("c2", "she came from Alta")]
        return {
            "reason": "r",
            "abstains": False,
            "claims": [
                {"claim_id": name, "text": f"{text}.", "quote": text, "needs_citation": True}
                for name, text in claims
            ],
        }
    if kind(body) == "support":
        row = {"reason": "r", "joint": []}
        return {
            "findings": [
                {**row, "claim_id": "c1", "quote": quote, "quote_passage": 1, "supporting": [1], "verdict": "supported"},
                {**row, "claim_id": "c2", "quote": None, "quote_passage": None, "supporting": [], "verdict": "not_found"},
            ]
        }  # fmt: skip
    if kind(body) == "correctness":
        return {"reason": "r", "quote": "Mira Solberg", "verdict": "correct"}
    found = {"reason": "r", "quote": quote, "quote_passage": 1}
    sections = {
        "components": [{**found, "component_id": "k1", "component": "the painter", "found": True}],
        "passages": [
            {"passage": n, "reason": "r", "quote": None, "field": None, "verdict": "right"}
            for n in (1, 2)
        ],
        "sufficiency": {**found, "verdict": "sufficient"},
    }
    asked = body["response_format"]["json_schema"]["schema"]["properties"]
    return {name: part for name, part in sections.items() if name in asked}
