"""`ragdiag retrieval`: runs against labels, at any size and in any known format."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_args

import typer

from ragdiag.cli.options import parse_cutoffs, parse_near_duplicates, parse_unit
from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.retrieval.files import RunScores
    from ragdiag.retrieval.options import Options
    from ragdiag.retrieval.wanted import Wanted
    from ragdiag.text.case import Case

T = TypeVar("T")


def retrieval(
    qrels: Annotated[Path, typer.Argument(help="Labels: TREC, Parquet, JSONL, CSV, BEIR, …")],
    runs: Annotated[list[Path], typer.Argument(help="Runs: TREC, Parquet, JSONL, CSV, JSON, …")],
    *,
    k: Annotated[
        str | None, typer.Option("-k", "--k", help="Cut-offs, comma-separated; 1,3,5,10 at first.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="ndcg@10,recall@100,map,condensed:ndcg@10, …; names as printed. precision@k is "
            "over what was returned, precision_fixed@k over k."
        ),
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option("--labels", help="People's labels of relevance; they go before QRELS."),
    ] = None,
    slices: Annotated[
        Path | None, typer.Option(help="query_id and one column a dimension: JSONL, CSV, Parquet.")
    ] = None,
    compat: Annotated[
        str | None,
        typer.Option(
            help="trec_eval: linear gain, its ties and denominators, to the digit; means as "
            "trec_eval -c, with --missing skip as without -c."
        ),
    ] = None,
    rel_level: Annotated[float, typer.Option(help="A grade from which an item is relevant.")] = 1,
    gain: Annotated[str, typer.Option(help="Of nDCG: exponential or linear.")] = "exponential",
    no_relevant: Annotated[
        str, typer.Option(help="A query without relevant items: skip or zero.")
    ] = "skip",
    missing: Annotated[
        str, typer.Option(help="A labelled query that the run lacks: zero, skip or error.")
    ] = "zero",
    duplicates: Annotated[
        str, typer.Option(help="An item twice in a list: first, keep_slot or error.")
    ] = "first",
    ties: Annotated[
        str,
        typer.Option(help="Equal scores: file, docid_desc, expected (over all orders) or error."),
    ] = "file",
    negative: Annotated[
        str, typer.Option(help="A negative grade: judged (gains 0) or unjudged.")
    ] = "judged",
    depth: Annotated[
        int | None, typer.Option("--depth", "-M", min=1, help="Look at so many items of each list.")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="What counts once: passage, page, document or object; see --corpus."),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Where the run's ids belong: {passage_id, doc_id, page, text}, PDFs."),
    ] = None,
    coverage: Annotated[
        float, typer.Option(help="Share of a gold span that passages must cover.")
    ] = 0.8,
    near_duplicates: Annotated[
        str | None,
        typer.Option(help="Passages of one text under several ids: report or collapse."),
    ] = None,
    exact: Annotated[
        Path | None,
        typer.Option(help="Exact search on the same embeddings: ANN recall beside relevance."),
    ] = None,
    stages: Annotated[
        bool, typer.Option("--stages", help="The runs are one pipeline's lists, in order: losses.")
    ] = False,
    per_query: Annotated[
        Path | None, typer.Option(help="Write each query's values: .jsonl, .csv or .parquet.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, no table.")] = False,
) -> None:
    """Score runs against labels: means with intervals, slices, and what was met on the way."""
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.retrieval import print_runs  # noqa: PLC0415
    from ragdiag.retrieval import options as choices  # noqa: PLC0415
    from ragdiag.retrieval import stage_loss  # noqa: PLC0415
    from ragdiag.retrieval.files import read_labels, score_run  # noqa: PLC0415
    from ragdiag.retrieval.per_query import check_target, write_per_query  # noqa: PLC0415
    from ragdiag.retrieval.section import run_section  # noqa: PLC0415
    from ragdiag.retrieval.slicing import read_slices  # noqa: PLC0415

    asked = _metrics(metrics, None if k is None else parse_cutoffs(k))
    options = choices.Options(
        rel_level=rel_level,
        gain=_one_of("--gain", gain, ("exponential", "linear")),
        no_relevant=_one_of("--no-relevant", no_relevant, ("skip", "zero")),
        missing=_one_of("--missing", missing, get_args(choices.Missing)),
        duplicates=_one_of("--duplicates", duplicates, get_args(choices.Duplicates)),
        ties=_one_of("--ties", ties, get_args(choices.Ties)),
        negative=_one_of("--negative", negative, ("judged", "unjudged")),
        depth=depth,
    )
    options = _compatible(options, compat)
    if per_query is not None:
        check_target(per_query)
    by_slice = None if slices is None else read_slices(slices)
    wanted = _wanted(unit, corpus, coverage, near_duplicates)
    labels = read_labels(qrels, options, wanted, people=people)
    cutoffs = (1, 10, 100) if k is None else parse_cutoffs(k)
    beside = [] if exact is None else [f"recall@{cutoff}" for cutoff in cutoffs]
    beside += [stage_loss.MEASURE] if stages else []
    scored_by = tuple(dict.fromkeys((*asked, *beside)))
    scored = _told_apart([score_run(path, labels, scored_by, options, wanted) for path in runs])
    sections = [run_section(one, asked, by_slice) for one in scored]
    if exact is not None:
        for section, found in zip(sections, _ann(scored, exact, cutoffs), strict=True):
            section["ann"] = found
    loss = stage_loss.stage_loss(scored) if stages else None
    if per_query is not None:
        write_per_query(per_query, scored, asked)
    report = {
        "metrics": sections[0]["metrics"],
        "runs": sections,
        "labels": {"file": labels.table.file, "format": labels.table.format},
        "settings": {
            **options.as_dict(),
            "compat": compat,
            "unit": sections[0].get("unit", "passage"),
            "coverage": coverage,
            "near_duplicates": near_duplicates,
            "corpus": None if corpus is None else str(corpus),
        },
        "warnings": [
            str(problem)
            for problem in labels.table.warnings
            if by_slice is None or problem.kind != "slices_unused"
        ],
    }
    if loss is not None:
        report["loss"] = loss
    if as_json:
        sys.stdout.write(to_json(report))
    else:
        print_runs(report)


def _told_apart(scored: list[RunScores]) -> list[RunScores]:
    """The runs under names of which each stands once."""
    from ragdiag.data.pool import distinct_names  # noqa: PLC0415 - keeps --help fast

    names = distinct_names([(one.name, one.file) for one in scored])
    return [replace(one, name=name) for one, name in zip(scored, names, strict=True)]


def _wanted(
    unit: str | None, corpus: Path | None, coverage: float, near_duplicates: str | None
) -> Wanted:
    from ragdiag.data.places import CorpusFile  # noqa: PLC0415 - keeps --help fast
    from ragdiag.retrieval.wanted import Wanted  # noqa: PLC0415

    if not 0 < coverage <= 1:
        raise UsageError(f"--coverage takes a share above 0 and up to 1; came {coverage:g}")
    return Wanted(
        unit=None if unit is None else parse_unit(unit),
        coverage=coverage,
        corpus=None if corpus is None else CorpusFile(corpus),
        near_duplicates=None if near_duplicates is None else parse_near_duplicates(near_duplicates),
        near=_near_miss,
    )


def _near_miss(case: Case) -> dict[str, Any]:
    """By the target that the labels state, else by the document of the evidence."""
    from ragdiag.diagnosis.near_miss import near_miss_of  # noqa: PLC0415 - keeps --help fast
    from ragdiag.retrieval.missed import place_miss  # noqa: PLC0415

    found = near_miss_of(case)
    if found.kind == "none":
        return place_miss(case)
    return {"near_miss": found.kind, "passage_id": found.passage_id, "rank": found.rank}


def _ann(scored: list[RunScores], exact: Path, cutoffs: tuple[int, ...]) -> list[dict[str, Any]]:
    """ANN recall of each run: index quality, read from no label; recall of what is relevant beside
    it, never mixed."""
    from ragdiag.data.runs import read_run  # noqa: PLC0415 - keeps --help fast
    from ragdiag.retrieval.ann import ann_recall  # noqa: PLC0415
    from ragdiag.retrieval.section import summary  # noqa: PLC0415

    table = read_run(exact)
    found: list[dict[str, Any]] = []
    for run in scored:
        names = [f"recall@{k}" for k in cutoffs]
        relevance = {name: summary(run.evaluated.values[name], name) for name in names}
        section = ann_recall(read_run(run.file), table, cutoffs).section()
        found.append({**section, "exact": str(exact), "relevance": relevance})
    return found


def _metrics(text: str | None, cutoffs: tuple[int, ...] | None) -> tuple[str, ...]:
    """The names asked; with cut-offs given, a bare name stands for itself at each of them too."""
    from ragdiag.retrieval.measures import formula, parse_name, takes_cutoff  # noqa: PLC0415

    if text is None:
        stems = ("precision", "recall", "hit", "rr", "ap", "ndcg", "judged")
        return tuple(f"{stem}@{k}" for stem in stems for k in cutoffs or (1, 3, 5, 10))
    names: list[str] = []
    for name in (part.strip() for part in text.split(",")):
        if cutoffs is not None and takes_cutoff(name):
            at_each = [f"{name}@{k}" for k in cutoffs]
            names += at_each if formula(parse_name(at_each[0])[0]).cutoff == "required" else [name]
            names += at_each
        else:
            parse_name(name)
            names.append(name)
    return tuple(dict.fromkeys(names))


def _compatible(options: Options, compat: str | None) -> Options:
    if compat is None:
        return options
    if compat != "trec_eval":
        raise UsageError(f"--compat takes trec_eval; came {compat!r}")
    return options.as_trec_eval()


def _one_of(option: str, text: str, allowed: tuple[T, ...]) -> T:
    if text not in allowed:
        raise UsageError(f"{option} takes one of {', '.join(map(str, allowed))}; came {text!r}")
    return cast("T", text)
