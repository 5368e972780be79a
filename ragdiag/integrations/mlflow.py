"""An evaluation as a run of MLflow: settings as parameters, rates as metrics, its files beside."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from ragdiag.errors import MissingExtraError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import Manifest, manifest_of

_FILES = (at.REPORT, at.PAGE, at.MANIFEST, at.SCORES)
_OTHER = re.compile(r"[^\w\-. :/]")
_MOST_PARAM = 6000
_BATCH = 1000
_COUNTED = ("n", "n_total", "ci_low", "ci_high")


def import_mlflow() -> Any:
    """The package; MissingExtraError where it is not installed."""
    try:
        return import_module("mlflow")
    except ImportError:
        raise MissingExtraError("mlflow", "mlflow") from None


def log_evaluation(
    directory: Path,
    *,
    tracking_uri: str | None = None,
    experiment: str | None = None,
    run_name: str | None = None,
) -> str:
    """Logs an evaluation directory as one finished run; returns its id.

    tracking_uri  a server or a folder; absent: as MLflow is set up (MLFLOW_TRACKING_URI).
    experiment    is made where there is none; absent: MLflow's default.
    run_name      absent: the name of the run facts, else the directory's.

    Metrics: each rate with a value, its interval and counts behind it ("recall_at_5.ci_low"), and
    shares of categories and families ("category.A1.share"). A rate without a value is no metric, it
    stands in the tag `ragdiag.without_value`. MLflow allows letters, digits and - _ . : / in names:
    "@" becomes "_at_", all else "_".

    Raises:
        UsageError: no such directory, or what MLflow says it cannot do.
    """
    mlflow = import_mlflow()
    report, manifest = at.read_report(directory), manifest_of(directory)
    try:
        return _logged(
            mlflow, directory, report, manifest, tracking_uri, experiment,
            run_name or str(manifest.run.get("name") or directory.resolve().name),
        )  # fmt: skip
    except mlflow.exceptions.MlflowException as fault:
        where = tracking_uri or mlflow.get_tracking_uri()
        raise UsageError(f"MLflow at {where}: {fault}") from fault


def _logged(
    mlflow: Any,
    directory: Path,
    report: Mapping[str, Any],
    manifest: Manifest,
    tracking_uri: str | None,
    experiment: str | None,
    run_name: str,
) -> str:
    client = mlflow.MlflowClient(tracking_uri=tracking_uri)
    entities: Any = import_module("mlflow.entities")
    run = client.create_run(_experiment_id(client, experiment), run_name=run_name)
    run_id: str = run.info.run_id
    try:
        metrics, absent = metrics_of(report)
        told = [
            entities.Metric(name, value, run.info.start_time, 0) for name, value in metrics.items()
        ]
        for start in range(0, len(told), _BATCH):
            client.log_batch(run_id, metrics=told[start : start + _BATCH])
        params = params_of(manifest)
        client.log_batch(run_id, params=[entities.Param(k, v) for k, v in params.items()])
        for name, value in tags_of(report, manifest, absent).items():
            client.set_tag(run_id, name, value)
        for name in _FILES:
            if (directory / name).exists():
                client.log_artifact(run_id, str(directory / name), "ragdiag")
    except BaseException:
        client.set_terminated(run_id, status="FAILED")
        raise
    client.set_terminated(run_id, status="FINISHED")
    return run_id


def _experiment_id(client: Any, name: str | None) -> str:
    if name is None:
        return "0"
    known = client.get_experiment_by_name(name)
    return str(client.create_experiment(name) if known is None else known.experiment_id)


def metrics_of(report: Mapping[str, Any]) -> tuple[dict[str, float], list[str]]:
    """By MLflow's name, the values of a report; and the metrics that have none."""
    found: dict[str, float] = {}
    absent: list[str] = []
    for name, row in report["metrics"].items():
        if row["value"] is None:
            absent.append(name)
            continue
        found[_name(name)] = float(row["value"])
        counted = {key: row.get(key) for key in _COUNTED}
        found |= {_name(f"{name}.{k}"): float(v) for k, v in counted.items() if v is not None}
    for kind, rows in (("category", report["categories"]), ("family", report["families"])):
        for name, row in rows.items():
            if row["share"] is not None:
                found[_name(f"{kind}.{name}.share")] = float(row["share"])
            found[_name(f"{kind}.{name}.n")] = float(row["n"])
    return found, absent


def params_of(manifest: Manifest) -> dict[str, str]:
    """Settings and run facts as text; one that is longer than MLflow takes is cut."""
    settings = manifest.settings.model_dump(mode="json", exclude_none=True)
    told = {
        **{f"setting.{key}": value for key, value in settings.items()},
        **{f"run.{key}": value for key, value in manifest.run.items()},
        "judge": manifest.judge_spec,
    }
    return {_name(key): _text(value)[:_MOST_PARAM] for key, value in told.items()}


def tags_of(report: Mapping[str, Any], manifest: Manifest, absent: list[str]) -> dict[str, str]:
    """What is no number: versions, hashes, whether the judge is validated, metrics without one."""
    validated: Mapping[str, Mapping[str, Any]] = report["judge"].get("validated") or {}
    told: dict[str, Any] = {
        "ragdiag.version": manifest.ragdiag,
        "ragdiag.judge": manifest.judge_name,
        "ragdiag.judge_version": manifest.judge_version,
        "ragdiag.data_hash": manifest.data_hash,
        "ragdiag.corpus_hash": manifest.corpus_hash or "",
        "ragdiag.judge_trusted": sorted(c for c, row in validated.items() if row.get("trusted")),
        "ragdiag.without_value": absent,
        "ragdiag.n_warnings": len(report["warnings"]),
    }
    return {name: _text(value)[:_MOST_PARAM] for name, value in told.items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _name(name: str) -> str:
    return _OTHER.sub("_", name.replace("@", "_at_"))
