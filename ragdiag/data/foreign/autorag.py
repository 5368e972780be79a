"""AutoRAG: the QA set and the results of its nodes; `retrieval_gt` is an AND of ORs."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any, cast

from ragdiag.data.foreign.fields import Fields
from ragdiag.data.foreign.format import Format, Head
from ragdiag.data.foreign.passages import BrokenFieldError, id_text
from ragdiag.data.foreign.rows import one_a_row
from ragdiag.data.lines import shorten

_MOST_SETS = 1000
_KNOWN = ("qid", "query", "generation_gt", "retrieval_gt", "queries")
_LISTS = ("retrieved_contents", "retrieved_ids", "retrieve_scores", "generated_texts", "prompts")


def _fits(head: Head) -> int:
    own = {"retrieval_gt", "generation_gt"} & head.keys
    lists = [key for key in head.keys if key.startswith(_LISTS[:3])]
    if not own and not lists:
        return 0
    return head.count(_KNOWN) + len(lists) + head.count(("generated_texts", "prompts")) + 1


def _read(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {"query_id": fields.id("qid", "query_id")}
    query = fields.text("query")
    if query is not None and query.strip():
        found["query"] = query
    found["reference"] = _references(fields)
    if gold := _gold(fields):
        found["gold"] = gold
    if (answer := fields.text("generated_texts", "generated_text")) is not None:
        found["answer"] = answer
    stages: dict[str, Any] = {}
    for name in fields.names():
        for start in ("retrieved_ids", "retrieved_contents"):
            if name.startswith(start) and name in fields:
                end = name.removeprefix(start)
                passages = fields.passages(
                    f"retrieved_contents{end}",
                    ids=(f"retrieved_ids{end}",),
                    scores=(f"retrieve_scores{end}",),
                )
                stages[end.removeprefix("_")] = passages
    if "" in stages:
        found["retrieved"] = stages.pop("")
    elif len(stages) == 1:
        found["retrieved"] = stages.pop(next(iter(stages)))
    elif stages:
        fields.told.note(
            f"only lists of single retrievers ({', '.join(sorted(stages))}): kept as stages, "
            "and no retrieved"
        )
    if stages:
        found["stages"] = stages
    return found


def _references(fields: Fields) -> list[str] | None:
    value = fields.peek("generation_gt")
    if isinstance(value, str) and not value.lstrip().startswith("["):
        fields.take("generation_gt")
        return [value]
    texts = fields.texts("generation_gt")
    return [one for one in texts if one.strip()] if texts else None


def _gold(fields: Fields) -> list[list[dict[str, str]]]:
    """Every choice of one id a group: an OR of ANDs."""
    name, groups = fields.values("retrieval_gt")
    if not groups:
        return []
    read: list[list[str]] = []
    for number, group in enumerate(groups):
        inner = cast("list[object]", group) if isinstance(group, list) else [group]
        where = f"{name}[{number}]"
        if isinstance(group, dict):
            raise BrokenFieldError(
                where, "wrong_type", f"came {shorten(cast('object', group))}; expected ids"
            )
        read.append(list(dict.fromkeys(id_text(one, where) for one in inner)))
    read = [group for group in read if group]
    n = prod(len(group) for group in read) if read else 0
    if n > _MOST_SETS:
        message = f"{n} ways to choose one id a group; {_MOST_SETS} sets of evidence are the most"
        raise BrokenFieldError(name, "too_many_sets", message)
    sets = dict.fromkeys(tuple(dict.fromkeys(one)) for one in product(*read)) if read else {}
    return [[{"passage_id": key} for key in one] for one in sets]


FORMAT = Format(
    "autorag",
    "qid, query with retrieval_gt, generation_gt, retrieved_ids, retrieved_contents",
    _fits,
    one_a_row(_read),
    lambda head: "AutoRAG",
)
