"""`ragdiag ragas`: ragas's metrics beside ragdiag's own, in an evaluation that exists."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragdiag.cli.options import (
    Directory,
    GivenPrices,
    PricesFile,
    Rpm,
    Tpm,
    evaluation_directory,
    finite,
)
from ragdiag.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from ragdiag.chat.stack import ChatSettings
    from ragdiag.evaluation.external import Tool


def ragas(
    directory: Directory,
    *,
    metrics: Annotated[
        str, typer.Option(help="Ragas's metrics, comma-separated; 'help' lists them.")
    ] = "context_precision,context_recall,faithfulness,answer_relevancy",
    model: Annotated[str | None, typer.Option(help="The model that ragas asks.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="OpenAI-compatible endpoint; the key: RAGDIAG_API_KEY, else OPENAI_API_KEY."
        ),
    ] = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="Embeddings, where a metric needs them.")
    ] = None,
    embedding_base_url: Annotated[
        str | None, typer.Option(help="Another endpoint for the embeddings.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply.")] = 2048,
    concurrency: Annotated[int, typer.Option(min=1, help="Scores asked for at once.")] = 8,
    rpm: Rpm = None,
    tpm: Tpm = None,
    price: GivenPrices = None,
    prices: PricesFile = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="US dollars for the calls of this run; exit 3 there."),
    ] = None,
    max_errors: Annotated[
        float, typer.Option(min=0, max=1, help="Share of failed scores over which the exit is 3.")
    ] = 0.01,
    as_json: Annotated[bool, typer.Option("--json", help="Print the metrics as JSON.")] = False,
) -> None:
    """Compute ragas's own metrics for an evaluation, through ragdiag's calls, cache and limits.

    They stand in results and report as ragas:NAME. A second run asks only what failed.
    """
    import asyncio  # noqa: PLC0415 - keeps --help fast

    from ragdiag.cli.progress import progress  # noqa: PLC0415
    from ragdiag.evaluation import directory as at  # noqa: PLC0415
    from ragdiag.evaluation.external import ask_tool  # noqa: PLC0415
    from ragdiag.evaluation.rescoring import rescore_directory  # noqa: PLC0415
    from ragdiag.integrations import ragas as integration  # noqa: PLC0415

    if metrics == "help":
        print("\n".join(sorted(integration.known_metrics())))
        return
    place = evaluation_directory(directory)
    n_queries = at.read_report(place)["corpus"]["n_queries"]
    names = [name.strip() for name in metrics.split(",") if name.strip()]
    chosen = integration.chosen_metrics(names)
    if not model:
        raise UsageError("ragas needs a model: --model NAME (none is assumed)")
    settings = _settings(place, concurrency, rpm, tpm, price, prices, finite("--budget", budget))
    chats = _chats(model, base_url, embedding_model, embedding_base_url, settings)
    asked = integration.Ragas(chosen, *chats, max_tokens=max_tokens)

    async def work(step: Any) -> int:
        try:
            for chat in (one for one in chats if one is not None):
                await chat.preflight()
            return await ask_tool(place, _tool(asked), concurrency=concurrency, on_done=step)
        finally:
            for chat in (one for one in chats if one is not None):
                await chat.aclose()

    with progress("asking ragas") as shown:
        shown.total(n_queries * len(chosen))
        n_asked = asyncio.run(work(shown.step))
    found = rescore_directory(place)
    told = {name: found["metrics"][name] for name in (f"ragas:{one.name}" for one in chosen)}
    if as_json:
        sys.stdout.write(at.to_json({"n_asked": n_asked, "metrics": told}))
    else:
        print("\n".join(_lines(told, n_asked, place)))
    _refuse_errors(told, max_errors)


def _settings(
    place: Path,
    concurrency: int,
    rpm: int | None,
    tpm: int | None,
    price: list[str] | None,
    file: Path | None,
    budget: float | None,
) -> ChatSettings:
    from ragdiag.chat.budget import Budget  # noqa: PLC0415
    from ragdiag.chat.prices import prices  # noqa: PLC0415
    from ragdiag.chat.stack import ChatSettings  # noqa: PLC0415
    from ragdiag.evaluation import directory as at  # noqa: PLC0415

    return ChatSettings(
        concurrency=concurrency,
        rpm=rpm,
        tpm=tpm,
        cache=place / at.CACHE,
        prices=prices(tuple(price or ()), file=file),
        budget=None if budget is None else Budget(budget),
    )


def _chats(
    model: str,
    base_url: str | None,
    embedding_model: str | None,
    embedding_base_url: str | None,
    settings: ChatSettings,
) -> tuple[Any, Any]:
    from ragdiag.chat.embeddings import OpenAIEmbeddings  # noqa: PLC0415
    from ragdiag.chat.stack import open_chat  # noqa: PLC0415

    chat = open_chat(model, base_url, settings=settings)
    if embedding_model is None:
        return chat, None
    url = embedding_base_url or base_url
    return chat, open_chat(embedding_model, url, settings=settings, client=OpenAIEmbeddings)


def _tool(asked: Any) -> Tool:
    from ragdiag.evaluation.external import Tool  # noqa: PLC0415
    from ragdiag.pipeline import sample_hash  # noqa: PLC0415
    from ragdiag.records import ExternalScore, Sample  # noqa: PLC0415

    by_name = {f"ragas:{metric.name}": metric for metric in asked.metrics}
    hashes = {name: asked.asked_with(metric) for name, metric in by_name.items()}

    async def score(name: str, sample: Sample) -> ExternalScore:
        found = await asked.score(by_name[name], sample)
        return ExternalScore(
            query_id=sample.query_id,
            sample_hash=sample_hash(sample),
            asked_with=hashes[name],
            metric=name,
            score=found.score,
            detail=found.detail[:500],
            usage=found.usage,
        )

    return Tool("ragas", hashes, score, asked.facts)


def _lines(told: dict[str, Any], n_asked: int, place: Path) -> list[str]:
    from ragdiag.report import numbers  # noqa: PLC0415

    lines = [f"{'':32}   mean  95% interval    scored"]
    for name, row in told.items():
        interval = numbers.interval(row["ci_low"], row["ci_high"]) if row["n"] else ""
        reasons = ", ".join(f"{reason} {n}" for reason, n in row["reasons"].items())
        lines.append(
            f"{name:32} {numbers.value(row['value']):>6}  {interval:14} {numbers.of_total(row):>7}"
            + (f"  ({reasons})" if reasons else "")
        )
    lines.append(f"{numbers.counted(n_asked, 'score')} asked for, the rest kept from before")
    lines.append(f"report  {place / 'report.html'}")
    return lines


def _refuse_errors(told: dict[str, Any], most: float) -> None:
    total = sum(row["n_total"] for row in told.values())
    errors = sum(row["n_error"] - row["reasons"].get("pipeline_error", 0) for row in told.values())
    spent = sum(row["reasons"].get("budget", 0) for row in told.values())
    if spent:
        raise IncompleteError(
            f"the budget is spent: {spent} of {total} scores of ragas were not asked for; the same "
            "command with a larger --budget asks only them"
        )
    if total and errors / total > most:
        raise IncompleteError(
            f"{errors} of {total} scores of ragas are errors ({errors / total:.1%}, more than "
            f"--max-errors {most:g}); why is in external.jsonl; the same command asks them again"
        )
