"""`ragdiag plan`: how many queries and labels a question needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragdiag.cli.options import evaluation_directory
from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.evaluation.planned import Measured
    from ragdiag.report.plan import Clusters


def plan(
    directory: Annotated[
        Path | None,
        typer.Argument(help="An evaluation: gives n, rate, and clusters by gold document."),
    ] = None,
    *,
    n: Annotated[int | None, typer.Option("--n", min=1, help="Queries you have.")] = None,
    metric: Annotated[
        str | None, typer.Option(help="Of DIR: answer_correctness where it is scored.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="A second run of DIR's queries: measures the disagreement.")
    ] = None,
    disagreement: Annotated[
        float | None,
        typer.Option(help="Share of the queries that one run gets right and the other not."),
    ] = None,
    rate: Annotated[float | None, typer.Option(help="The rate that is expected.")] = None,
    sd: Annotated[
        float | None, typer.Option(help="Sd of the differences, for scores other than 0/1.")
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="The difference to be shown (0.02, 0.05, 0.1).")
    ] = None,
    tpr: Annotated[float | None, typer.Option(help="The judge's TPR that is expected.")] = None,
    tnr: Annotated[float | None, typer.Option(help="The judge's TNR that is expected.")] = None,
    half_width: Annotated[
        float | None, typer.Option(help="Of the interval of rate, TPR, TNR (0.05, 0.1).")
    ] = None,
    prevalence: Annotated[
        float, typer.Option(help="Share of positives among labels that are drawn at random.")
    ] = 0.5,
    cluster_size: Annotated[
        float | None, typer.Option(help="Queries a cluster (document, family).")
    ] = None,
    icc: Annotated[float | None, typer.Option(help="Correlation within a cluster, 0 to 1.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Smallest difference that your queries show; queries and labels needed for what you want.

    All at 80% power and a two-sided test at .05; two runs over the same queries by McNemar's exact
    test.
    """
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast
    from ragdiag.report.plan import Wanted, print_plan  # noqa: PLC0415
    from ragdiag.report.plan import plan as make_plan  # noqa: PLC0415

    asked = (n, rate, disagreement, sd, difference, tpr, tnr, half_width, cluster_size, icc)
    if directory is None and all(one is None for one in asked):
        raise UsageError(
            "nothing to plan: give an evaluation directory, --n 200, --difference 0.05, or "
            "--tpr 0.9 --tnr 0.9"
        )
    measured = _measured(directory, metric, against)
    wanted = Wanted(
        n=n if n is not None or measured is None else measured.n,
        rate=rate if rate is not None or measured is None else measured.rate,
        disagreement=(
            disagreement if disagreement is not None or measured is None else measured.disagreement
        ),
        sd=sd if sd is not None or measured is None else measured.sd,
        difference=difference,
        tpr=tpr,
        tnr=tnr,
        half_width=half_width,
        prevalence=prevalence,
        clusters=_clusters(cluster_size, icc, measured),
    ).checked()
    found = make_plan(wanted)
    if as_json:
        source = (
            None if measured is None else {"directory": str(directory), "metric": measured.metric}
        )
        sys.stdout.write(to_json({"source": source, "rate": wanted.rate, **found}))
    else:
        print_plan(found, about=() if measured is None else measured.about)


def _measured(directory: Path | None, metric: str | None, against: Path | None) -> Measured | None:
    if directory is None:
        if metric is not None or against is not None:
            raise UsageError("--metric and --against read evaluations: name a directory too")
        return None
    from ragdiag.evaluation.planned import measure  # noqa: PLC0415 - keeps --help fast

    second = None if against is None else evaluation_directory(against)
    return measure(evaluation_directory(directory), metric=metric, against=second)


def _clusters(size: float | None, icc: float | None, measured: Measured | None) -> Clusters | None:
    from ragdiag.report.plan import Clusters  # noqa: PLC0415 - keeps --help fast

    known = None if measured is None else measured.clusters
    if size is None and icc is None:
        return known
    if (size is None or icc is None) and known is None:
        raise UsageError("--cluster-size and --icc go together: how many, and how much alike")
    return Clusters(
        size=known.size if size is None and known else size or 1,
        icc=known.icc if icc is None and known else icc or 0,
    )
