"""Ragas's metrics, by its own definitions, through ragdiag's own calls.

One sample at a time by `ascore`: the cache, limits, retries and prices are ragdiag's, a failure is
a score without a value and with a reason, and what a model said is checked before it counts.
Nothing of ragas is imported before it is asked for, and its telemetry is off.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from ragdiag.chat.embeddings import embed
from ragdiag.chat.protocol import Chat, ChatRequest, Message
from ragdiag.errors import ChatError, MissingExtraError, Unscored, UsageError
from ragdiag.judging.replies import parse_object
from ragdiag.records import Sample, Score, Usage, missing, scored

TOOL = "ragas"

_TEMPERATURE = 0.01  # ragas's own
_TRIES = 2
_ABOVE_ONE = 1e-9  # rounding of a mean of cosines, no finding
_PLAIN = re.compile(r"<class 'str'>|(?:\w+\.)?List\[str\]|str")
"""Inputs that are texts, not the messages of an agent."""
_BINARY = frozenset(("verdict", "attributed", "noncommittal"))
"""Fields of ragas's replies that are 0 or 1 by its prompts; it takes any integer for one."""
_LACKS = {
    "response": "no_answer",
    "reference": "no_reference",
    "retrieved_contexts": "no_context",
    "reference_contexts": "no_gold",
}


@dataclass(frozen=True)
class RagasMetric:
    """A metric of `ragas.metrics.collections`. `inputs`: what its `ascore` takes."""

    name: str
    kind: type
    inputs: tuple[str, ...]
    embeds: bool


@dataclass(frozen=True)
class RagasScore:
    """What a metric gave for one sample; `detail` says why there is no value."""

    score: Score
    detail: str = ""
    usage: Usage = field(default_factory=Usage)


def import_ragas() -> Any:
    """The package, without its telemetry; MissingExtraError where it is not installed."""
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    try:
        return import_module("ragas.metrics.collections")
    except ImportError as fault:
        if fault.name and not fault.name.startswith(TOOL):
            raise UsageError(
                f"ragas is installed and cannot be imported ({fault}): install the versions that "
                "go together with pip install 'ragdiag-eval[ragas]'"
            ) from fault
        raise MissingExtraError(TOOL, TOOL) from None


def ragas_version() -> str:
    """The installed version."""
    from importlib.metadata import version  # noqa: PLC0415 - needed here only

    return version(TOOL)


def known_metrics() -> dict[str, RagasMetric]:
    """By name, the metrics that can be computed from a sample: those whose inputs it can give."""
    module = import_ragas()
    given = {"user_input", *_LACKS}
    found: dict[str, RagasMetric] = {}
    for class_name in module.__all__:
        kind = getattr(module, class_name)
        if kind is module.BaseMetric or not issubclass(kind, module.BaseMetric):
            continue
        taken = list(inspect.signature(kind.ascore).parameters.values())[1:]
        inputs = tuple(one.name for one in taken)
        needs = set(inspect.signature(kind.__init__).parameters)
        plain = all(_PLAIN.fullmatch(str(one.annotation)) for one in taken)
        if "llm" in needs and plain and set(inputs) <= given and "MultiModal" not in class_name:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name).lower()
            found[name] = RagasMetric(name, kind, inputs, "embeddings" in needs)
    return found


def chosen_metrics(names: Sequence[str]) -> tuple[RagasMetric, ...]:
    """The metrics of these names; UsageError names what there is."""
    known = known_metrics()
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        shown = ", ".join(map(repr, unknown)) or "none"
        raise UsageError(
            f"ragas has no metric {shown} for these samples; known: {', '.join(known)}"
        )
    return tuple(known[name] for name in dict.fromkeys(names))


@dataclass
class _Said:
    """What the models said about one metric of one sample, and what it cost."""

    replies: list[BaseModel] = field(default_factory=list[BaseModel])
    usage: Usage = field(default_factory=Usage)
    asked: Counter[str] = field(default_factory=Counter[str])


class Ragas:
    """Computes metrics of ragas with ragdiag's chat; `embeddings` where a metric needs them."""

    def __init__(
        self,
        metrics: Sequence[RagasMetric],
        chat: Chat,
        embeddings: Chat | None = None,
        *,
        max_tokens: int = 2048,
    ) -> None:
        lacking = [metric.name for metric in metrics if metric.embeds and embeddings is None]
        if lacking:
            raise UsageError(
                f"ragas's {lacking[0]} needs embeddings: --embedding-model NAME (an endpoint's, "
                "beside the model), or leave it out of --metrics"
            )
        self.metrics = tuple(metrics)
        self._chat, self._embeddings, self._max_tokens = chat, embeddings, max_tokens
        self._llm_class, self._embedding_class = _adapters()

    @property
    def facts(self) -> dict[str, Any]:
        """What the scores were made with."""
        return {
            "version": ragas_version(),
            "model": self._chat.model,
            "endpoint": self._chat.endpoint,
            "embedding_model": self._embeddings.model if self._embeddings is not None else None,
            "temperature": _TEMPERATURE,
            "max_tokens": self._max_tokens,
        }

    def asked_with(self, metric: RagasMetric) -> str:
        """Hash of all that a score rests on besides the sample."""
        facts = self.facts if metric.embeds else {**self.facts, "embedding_model": None}
        text = json.dumps([metric.name, facts], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    async def score(self, metric: RagasMetric, sample: Sample) -> RagasScore:
        """One metric of one sample; never raises for what a model or ragas does."""
        if sample.error is not None:
            return RagasScore(missing("pipeline_error"), sample.error)
        try:
            given = _inputs(metric, sample)
        except Unscored as lack:
            return RagasScore(missing(lack.reason), lack.detail)
        said = _Said()
        parts: dict[str, Any] = {"llm": self._llm_class(self._agenerate(said))}
        if metric.embeds:
            parts["embeddings"] = self._embedding_class(self._aembed(said))
        try:
            asked: Any = metric.kind(**parts)
            result = await asked.ascore(**given)
            value = _checked(float(result.value), asked.allowed_values, said.replies)
        except (Unscored, ChatError) as fault:
            return RagasScore(missing(fault.reason), str(fault), said.usage)
        except Exception as fault:  # noqa: BLE001 - whatever ragas raises is no number
            return RagasScore(missing("bad_record"), f"{type(fault).__name__}: {fault}", said.usage)
        return RagasScore(scored(value), "", said.usage)

    def _agenerate(self, said: _Said) -> Any:
        async def agenerate(prompt: str, response_model: type[BaseModel]) -> BaseModel:
            repeat = said.asked[prompt]  # the same prompt again is meant as another draw
            said.asked[prompt] += 1
            messages: tuple[Message, ...] = (("user", prompt),)
            problem = Unscored("parse_failure")
            for _ in range(_TRIES):
                request = ChatRequest(
                    self._chat.model,
                    messages,
                    schema=strict_schema(response_model),
                    schema_name=response_model.__name__,
                    temperature=_TEMPERATURE,
                    max_tokens=self._max_tokens,
                    repeat=repeat,
                )
                reply = await self._chat.complete(request)
                said.usage = said.usage + reply.usage
                if reply.refusal is not None:
                    raise Unscored("judge_refused", reply.refusal[:200])
                if (reply.finish_reason or "") in ("length", "max_tokens"):
                    raise Unscored("truncated", f"cut after {self._max_tokens} tokens")
                try:
                    found = response_model.model_validate(parse_object(reply.text))
                except (Unscored, ValidationError) as fault:
                    problem = _as_unscored(fault)
                else:
                    said.replies.append(found)
                    return found
                correction = (
                    f"This reply cannot be read: {problem.detail or problem.reason}. Reply again."
                )
                messages = (*messages[:1], ("assistant", reply.text), ("user", correction))
            raise problem

        return agenerate

    def _aembed(self, said: _Said) -> Any:
        async def aembed(text: str) -> list[float]:
            assert self._embeddings is not None
            vector, usage = await embed(self._embeddings, text)
            said.usage = said.usage + usage
            return vector

        return aembed


def _adapters() -> tuple[Any, Any]:
    """Ragas's two interfaces, each filled with a coroutine function."""
    import_ragas()
    llm_base: Any = import_module("ragas.llms.base").InstructorBaseRagasLLM
    embedding_base: Any = import_module("ragas.embeddings.base").BaseRagasEmbedding

    class Llm(llm_base):
        def __init__(self, ask: Any) -> None:
            self._ask = ask

        def generate(self, prompt: str, response_model: Any) -> Any:
            raise NotImplementedError("ragdiag asks asynchronously")

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return await self._ask(prompt, response_model)

    class Embeddings(embedding_base):
        def __init__(self, ask: Any) -> None:
            self.cache = None  # ragdiag's own cache stands below
            self._ask = ask

        def embed_text(self, text: str, **_: Any) -> Any:
            raise NotImplementedError("ragdiag asks asynchronously")

        async def aembed_text(self, text: str, **_: Any) -> Any:
            return await self._ask(text)

    return Llm, Embeddings


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's JSON schema as strict endpoints want it: closed objects, all fields required."""

    def closed(value: Any) -> Any:
        if isinstance(value, list):
            return [closed(inner) for inner in cast("list[Any]", value)]
        if not isinstance(value, dict):
            return value
        found = {key: closed(inner) for key, inner in cast("dict[str, Any]", value).items()}
        if found.get("type") == "object" and isinstance(found.get("properties"), dict):
            found["additionalProperties"] = False
            found["required"] = list(found["properties"])
        return found

    return closed(model.model_json_schema())


def _as_unscored(fault: Unscored | ValidationError) -> Unscored:
    if isinstance(fault, Unscored):
        return fault
    first = fault.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    reason = "missing_field" if first["type"] == "missing" else "parse_failure"
    return Unscored(reason, f"{place}: {first['msg']}")


def _inputs(metric: RagasMetric, sample: Sample) -> dict[str, Any]:
    """What `ascore` takes, in ragas's words; Unscored where the sample lacks it."""
    contexts = sample.context if sample.context is not None else sample.retrieved
    lacking = [one.passage_id for one in contexts or () if one.text is None]
    given: dict[str, Any] = {
        "user_input": sample.query,
        "response": sample.answer,
        "reference": sample.reference[0] if sample.reference else None,
        "retrieved_contexts": [one.text for one in contexts or ()],
        "reference_contexts": [
            item.text for items in sample.gold[:1] for item in items if item.text
        ],
    }
    if "retrieved_contexts" in metric.inputs and lacking:
        raise Unscored("missing_field", f"passage {lacking[0]} has no text (--corpus gives it)")
    for name in metric.inputs:
        if not given[name]:
            raise Unscored(_LACKS.get(name, "missing_field"), f"ragas needs {name}")
    return {name: given[name] for name in metric.inputs}


def _checked(value: float, allowed: tuple[float, float], replies: Sequence[BaseModel]) -> float:
    """The value as ragas gave it, unless what it rests on is not what its prompts ask for.

    Ragas takes any integer for a verdict, and three statements with one verdict for a whole score.
    """
    for name, number in (pair for reply in replies for pair in _integers(reply.model_dump())):
        if name in _BINARY and number not in (0, 1):
            raise Unscored("out_of_range", f"{name} is {number}; 0 or 1 is asked for")
    statements = _count(replies, "StatementGeneratorOutput")
    verdicts = _count(replies, "NLIStatementOutput")
    if statements == 0:
        raise Unscored("no_claims", "the model finds no statement in the answer")
    if statements is not None and verdicts is not None and statements != verdicts:
        raise Unscored("missing_field", f"{verdicts} verdicts on {statements} statements")
    if math.isnan(value):
        raise Unscored("undecided", "ragas gives NaN")
    low, high = allowed
    if not low - _ABOVE_ONE <= value <= high + _ABOVE_ONE:
        raise Unscored("out_of_range", f"{value!r}; ragas says {low:g} to {high:g}")
    return min(max(value, low), high)


def _count(replies: Sequence[BaseModel], kind: str) -> int | None:
    lists = [cast("Any", one).statements for one in replies if type(one).__name__ == kind]
    return sum(map(len, lists)) if lists else None


def _integers(value: object) -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, object]", value).items():
            if isinstance(inner, int) and not isinstance(inner, bool):
                yield name, inner
            yield from _integers(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _integers(inner)
