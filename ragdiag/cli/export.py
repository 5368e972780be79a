"""`ragdiag export`: an evaluation as other tools read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragdiag.cli.options import Directory, evaluation_directory
from ragdiag.errors import UsageError


def export(
    directory: Directory,
    *,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="A folder: queries, scores, metrics, categories as CSV tables."),
    ] = None,
    otel: Annotated[
        Path | None,
        typer.Option("--otel", help="A file: OpenTelemetry gen_ai.evaluation.result, OTLP JSON."),
    ] = None,
    mlflow: Annotated[
        bool, typer.Option("--mlflow", help="Log it as a run of MLflow (extra: mlflow).")
    ] = False,
    tracking_uri: Annotated[
        str | None,
        typer.Option(help="MLflow's server or store; as MLflow is set up where absent."),
    ] = None,
    experiment: Annotated[str | None, typer.Option(help="Of MLflow; made where absent.")] = None,
) -> None:
    """Write an evaluation for a spreadsheet, a telemetry backend, or MLflow. At least one of them.

    A score without a value stays without one everywhere, with its status and reason.
    """
    from ragdiag.evaluation.exporting import export_csv, export_otel  # noqa: PLC0415 - fast --help

    place = evaluation_directory(directory)
    if csv is None and otel is None and not mlflow:
        raise UsageError("export where to? Give --csv FOLDER, --otel FILE or --mlflow")
    if not mlflow and (tracking_uri or experiment):
        raise UsageError("--tracking-uri and --experiment are MLflow's: give --mlflow too")
    if csv is not None:
        for path in export_csv(place, csv):
            print(path)
    if otel is not None:
        n = export_otel(place, otel)
        print(f"{otel}: events of {n} {'query' if n == 1 else 'queries'}")
    if mlflow:
        from ragdiag.integrations.mlflow import log_evaluation  # noqa: PLC0415 - an extra

        run_id = log_evaluation(place, tracking_uri=tracking_uri, experiment=experiment)
        print(f"MLflow run {run_id}")
