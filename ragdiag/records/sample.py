"""What goes in: a query, its gold evidence, and one system's output for it."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from ragdiag.records.base import Record


def _read_id(value: object) -> object:
    """A JSON number that is integral is read as its integer; a string stays as it is."""
    if isinstance(value, bool):
        raise ValueError("an id is a string, not true or false")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(f"an id is a string or an integral number, not {value!r}")
        return str(int(value))
    return value


def _check_id(value: str) -> str:
    if not value.strip():
        raise ValueError("an id must not be empty")
    return value


def _read_page(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a page is a number or a string")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("must be a finite number, not NaN or infinity")
    return value


def _no_bare_string(value: object) -> object:
    """A string where a list is needed would be read as its characters."""
    if isinstance(value, str):
        raise ValueError('must be a list, not a string: write ["..."]')
    return value


Id = Annotated[str, BeforeValidator(_read_id), AfterValidator(_check_id)]
Page = Annotated[int | str, BeforeValidator(_read_page)]
Finite = Annotated[float, AfterValidator(_finite)]


class Item(Record):
    """A locator of gold evidence.

    Matched by `passage_id` if it has one, else doc_id + start/end, doc_id + object_id,
    doc_id + page, doc_id, else text.
    """

    passage_id: Id | None = None
    doc_id: Id | None = None
    page: Page | None = None
    object_id: Id | None = None
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    text: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])

    @model_validator(mode="after")
    def _locates(self) -> Item:
        if self.passage_id is None and self.doc_id is None and not self.text:
            raise ValueError("a gold item needs passage_id, doc_id or text")
        _check_span(self.start, self.end)
        return self


class Passage(Record):
    """One retrieved unit. `text` may be absent where only ids were kept."""

    passage_id: Id
    doc_id: Id | None = None
    page: Page | None = None
    object_id: Id | None = None
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    text: str | None = None
    score: Finite | None = None
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])

    @model_validator(mode="after")
    def _span(self) -> Passage:
        _check_span(self.start, self.end)
        return self


def _check_span(start: int | None, end: int | None) -> None:
    if start is not None and end is not None and end < start:
        raise ValueError(f"end ({end}) lies before start ({start})")


class Target(Record):
    """The identity that the question asks for."""

    report: str | None = None
    entity: str | None = None
    period: str | None = None
    metric: str | None = None
    unit: str | None = None
    page: Page | None = None


class GivenCitation(Record):
    """A citation as the system gave it: characters [start, end) of the answer cite a passage."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    passage_id: Id


def _as_passage(value: object) -> object:
    """An id alone stands for a passage whose other fields are given elsewhere."""
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return {"passage_id": value}
    return value


PassageOrId = Annotated[Passage, BeforeValidator(_as_passage)]
Passages = Annotated[tuple[PassageOrId, ...], BeforeValidator(_no_bare_string)]
Strings = Annotated[tuple[str, ...], BeforeValidator(_no_bare_string)]


class Sample(Record):
    """A query and one system's output for it. Field by field: the README's "Native format".

    Ids in `retrieved`, `stages` and `context` without text are filled from the other lists of the
    sample (and from the corpus, by the reader). `answer_given` tells an absent answer (retrieval
    only) from null (the system gave none). `metadata`: what another tool said of the query and has
    no field here; nothing is judged by it.
    """

    query_id: Id
    query: str
    history: Annotated[tuple[tuple[str, str], ...], BeforeValidator(_no_bare_string)] = ()
    reference: Strings = ()
    answerable: bool | None = None
    gold: tuple[tuple[Item, ...], ...] = ()
    qrels: dict[str, Finite] = Field(default_factory=dict[str, float])
    target: Target | None = None
    filter: str | None = None
    slices: dict[str, str] = Field(default_factory=dict[str, str])
    retrieved: Passages | None = None
    stages: dict[str, Passages] = Field(default_factory=dict[str, tuple[Passage, ...]])
    context: Passages | None = None
    answer: str | None = None
    answer_given: bool = Field(default=False, exclude=True)
    citations: tuple[GivenCitation, ...] | None = None
    latency_ms: dict[str, Finite] = Field(default_factory=dict[str, float])
    cost_usd: Finite | None = None
    error: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, data: Any) -> Any:
        """Null means absent, but for `answer`; slices become strings."""
        if not isinstance(data, dict):
            return data
        given: dict[str, Any] = data  # pyright: ignore[reportUnknownVariableType]
        kept = {k: v for k, v in given.items() if v is not None}
        kept["answer_given"] = "answer" in given
        slices = kept.get("slices")
        if isinstance(slices, dict):
            kept["slices"] = {
                str(k): _slice_value(v)  # pyright: ignore[reportUnknownArgumentType]
                for k, v in slices.items()  # pyright: ignore[reportUnknownVariableType]
                if v is not None
            }
        if isinstance(kept.get("reference"), str):
            kept["reference"] = [kept["reference"]]
        return kept

    @model_validator(mode="after")
    def _consistent(self) -> Sample:
        for number, alternative in enumerate(self.gold):
            if not alternative:
                raise ValueError(f"gold[{number}] is an empty set: it would be complete always")
        for cited in self.citations or ():
            if cited.end < cited.start or cited.end > len(self.answer or ""):
                raise ValueError(
                    f"citation [{cited.start}, {cited.end}) lies outside the answer's "
                    f"{len(self.answer or '')} characters"
                )
        return self

    def given(self) -> dict[str, Any]:
        """The fields as a native line: absent ones stay absent, a null answer null."""
        kept = self.model_dump(mode="json", exclude_defaults=True)
        if self.answer_given:
            kept.setdefault("answer", None)
        return kept

    def passages_by_id(self) -> dict[str, Passage]:
        """All passages of the sample by id; where an id occurs twice, the one with text wins."""
        found: dict[str, Passage] = {}
        for group in (self.retrieved or (), self.context or (), *self.stages.values()):
            for passage in group:
                known = found.get(passage.passage_id)
                if known is None or (known.text is None and passage.text is not None):
                    found[passage.passage_id] = passage
        return found


def _slice_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


class Label(Record):
    """One label of a person. Other keys of the line are kept in `model_extra`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    query_id: Id
    check: str
    label: str
    annotator: str = "human"
    claim: str | None = None
    claim_span: tuple[int, int] | None = None
    passage_id: Id | None = None
    reason: str | None = None
