"""`ragdiag gate`: exit 1 unless an evaluation keeps its conditions."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ragdiag.cli.options import Directory, evaluation_directory, finite
from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.evaluation.gate_file import Defaults
    from ragdiag.evaluation.gating import Gated
    from ragdiag.report.baseline import Rule
    from ragdiag.report.gates import Gate, On

_FAILED = 1


def gate(
    directory: Directory,
    conditions: Annotated[
        list[str] | None,
        typer.Argument(
            help='"recall@10>=0.8", "A1.share<=5%", "recall@10[year=2017]>=0.7"; with --against '
            "also a name alone (recall@10): no worse than there."
        ),
    ] = None,
    *,
    file: Annotated[
        Path | None, typer.Option("--file", help="TOML, a table a gate: [NAME] condition = …")
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="A directory, a report.json, or a file of --save-baseline: none of the names "
            "given (else of those that it was saved for; else of the headline metrics) may be "
            "worse."
        ),
    ] = None,
    all_metrics: Annotated[
        bool,
        typer.Option(
            "--all-metrics",
            help="Hold every figure of --against; of so many, some fail by chance.",
        ),
    ] = False,
    margin: Annotated[
        float,
        typer.Option(
            min=0,
            help="How much worse than --against is accepted: the least gain that the 95% interval "
            "may hold. Where no query is worse, it passes however wide the interval.",
        ),
    ] = 0.02,
    on: Annotated[
        str,
        typer.Option(
            help="bound: the whole 95% interval keeps the condition; value: the mean does."
        ),
    ] = "bound",
    min_coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the applicable queries to be scored.")
    ] = 0.8,
    save_baseline: Annotated[
        Path | None,
        typer.Option(help="Write what a later run is held against, if no gate fails."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML, a test case a gate.")] = None,
    github: Annotated[
        bool | None,
        typer.Option(
            "--github/--no-github",
            help="Annotations and step summary; on by itself where GITHUB_ACTIONS is set.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """Hold an evaluation to conditions: exit 1 unless the 95% interval keeps every one.

    A metric that is absent, or scored on too few queries, fails. Names: a metric, STAGE:METRIC,
    CODE.share, FAMILY.share, flags.NAME.share, latency.STAGE.p95 (ms), cost.usd (judging).
    """
    from ragdiag.evaluation.gate_file import Defaults, read_gates  # noqa: PLC0415 - fast --help
    from ragdiag.evaluation.gating import gate_directory  # noqa: PLC0415
    from ragdiag.report.baseline import Rule  # noqa: PLC0415

    finite("--margin", margin)
    finite("--min-coverage", min_coverage)
    defaults = Defaults(cast("On", on), min_coverage, margin)
    every = Rule("", margin, defaults.on, min_coverage)
    given = [*_typed(conditions or (), defaults)]
    if file is not None:
        given += read_gates(file, defaults)
    gates, rules = _sorted(given)
    _check(gates, rules, against=against, save_baseline=save_baseline)
    if all_metrics and against is None:
        raise UsageError("--all-metrics goes with --against: every figure of the baseline is held")
    place = evaluation_directory(directory)
    found = gate_directory(
        place,
        gates,
        against=against,
        rules=rules if against is not None else (),
        every=every,
        all_metrics=all_metrics,
    )
    if found.outcomes:
        shown = os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github
        _tell(found, as_json=as_json, github=shown, junit=junit)
    if save_baseline is not None:
        _save(found, save_baseline, [rule.name for rule in rules])
    if found.failed:
        raise typer.Exit(_FAILED)


def _typed(texts: list[str] | tuple[str, ...], defaults: Defaults) -> list[Gate | Rule]:
    return [defaults.read(text) for text in texts]


def _sorted(given: list[Gate | Rule]) -> tuple[list[Gate], list[Rule]]:
    from ragdiag.report.gates import Gate  # noqa: PLC0415 - keeps --help fast

    gates = [one for one in given if isinstance(one, Gate)]
    return gates, [one for one in given if not isinstance(one, Gate)]


def _check(
    gates: list[Gate], rules: list[Rule], *, against: Path | None, save_baseline: Path | None
) -> None:
    if rules and against is None and save_baseline is None:
        raise UsageError(
            f"{rules[0].name!r} has no >=, <=, > or < and a number (recall@10>=0.8); a name alone "
            "is held against a baseline: --against baseline.json"
        )
    if not gates and against is None and save_baseline is None:
        raise UsageError(
            'nothing to decide: give a condition ("recall@10>=0.8" "A1.share<=5%"), --file '
            "gates.toml, or --against baseline.json"
        )


def _tell(found: Gated, *, as_json: bool, github: bool, junit: Path | None) -> None:
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.gate_lines import print_gates, to_dict  # noqa: PLC0415
    from ragdiag.report.github import annotation, commands_stopped  # noqa: PLC0415
    from ragdiag.report.junit import junit_xml, write_junit  # noqa: PLC0415

    if junit is not None:
        name = str(found.directory)
        write_junit(junit, junit_xml(found.outcomes, queries=found.queries, name=name))
    if github:
        _summarise(found)
    if as_json:
        outcomes = [to_dict(one) for one in found.outcomes]
        told = {"passed": not found.failed, "n_failed": len(found.failed), "gates": outcomes}
        sys.stdout.write(to_json({"directory": str(found.directory), **told, "notes": found.notes}))
    else:
        with commands_stopped(sys.stdout) if github else nullcontext():
            print_gates(
                found.outcomes,
                queries=found.queries,
                notes=found.notes,
                directory=found.directory,
                n_queries=found.report["corpus"]["n_queries"],
                judge=str(found.report["judge"].get("name") or "none"),
            )
    for one in found.failed if github else ():
        print(annotation(one, found.queries), file=sys.stderr if as_json else sys.stdout)


def _summarise(found: Gated) -> None:
    """Appends to the summary of the step; one that cannot be written is said, no failure."""
    from ragdiag.report.github import step_summary  # noqa: PLC0415 - keeps --help fast

    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    name = str(found.directory)
    text = step_summary(found.outcomes, queries=found.queries, notes=found.notes, name=name)
    try:
        with Path(place).open("a", encoding="utf-8", errors="replace") as summary:
            summary.write(text)
    except OSError as fault:
        print(f"warning: no step summary: {place}: {fault.strerror}", file=sys.stderr)


def _save(found: Gated, path: Path, names: list[str]) -> None:
    from ragdiag.evaluation.baselines import read_run, write_baseline  # noqa: PLC0415
    from ragdiag.evaluation.gating import headline_of  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.baseline import metrics_of  # noqa: PLC0415

    if found.failed:
        print(f"{path}: not written, since a gate failed", file=sys.stderr)
        return
    run = read_run(found.directory, names or None)
    figures = list(names)
    if not names:
        figures = list(dict.fromkeys((*headline_of(run), *metrics_of(run))))
        run = read_run(found.directory, figures)
    warning = write_baseline(path, run, figures, named=bool(names))
    if warning:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"saved {path}: {len(figures)} figures", file=sys.stderr)
