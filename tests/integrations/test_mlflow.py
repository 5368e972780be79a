"""An evaluation in a real tracking store of MLflow (SQLite), logged and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.errors import UsageError
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.integrations.mlflow import log_evaluation, metrics_of, params_of
from tests.evaluation.test_judge_validation import evaluated
from tests.runs import row


def test_names_and_values_without_mlflow(tmp_path: Path) -> None:
    out, report = evaluated(tmp_path, rows=[row("q1"), row("q2", error="timed out")])
    found, absent = metrics_of(report)
    assert found["recall_at_5"] == report["metrics"]["recall@5"]["value"]
    assert (found["recall_at_5.n"], found["recall_at_5.n_total"]) == (1, 2)
    assert found["category.X1.n"] == 1
    assert "ann_recall" not in found
    assert not set(absent) & set(found)
    assert all(report["metrics"][name]["value"] is None for name in absent)
    params = params_of(manifest_of(out))
    assert json.loads(params["setting.k"]) == [1, 3, 5, 10]
    assert params["judge"] == "screen"


@pytest.mark.filterwarnings("ignore")  # of MLflow's own store
def test_a_run_is_logged_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow: Any = pytest.importorskip("mlflow", reason="NOT TESTED: make mlflow installs it")
    pytest.importorskip("sqlalchemy", reason="NOT TESTED: make mlflow installs it")
    monkeypatch.chdir(tmp_path)  # where a SQLite store puts the files of runs
    out, report = evaluated(tmp_path, rows=[row("q1"), row("q2", error="timed out")])
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    ids = [log_evaluation(out, tracking_uri=uri, experiment="rag") for _ in range(2)]
    client = mlflow.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("rag")
    runs = {one.info.run_id: one for one in client.search_runs([experiment.experiment_id])}
    assert set(runs) == set(ids)  # two exports, two runs
    run = runs[ids[0]]
    assert (run.info.status, run.info.run_name) == ("FINISHED", "out")
    assert run.data.metrics == pytest.approx(metrics_of(report)[0])
    assert run.data.params == params_of(manifest_of(out))
    assert json.loads(run.data.tags["ragdiag.without_value"]) == metrics_of(report)[1]
    assert run.data.tags["ragdiag.judge_trusted"] == "[]"
    files = {one.path for one in client.list_artifacts(run.info.run_id, "ragdiag")}
    assert {"ragdiag/report.json", "ragdiag/report.html", "ragdiag/manifest.json"} <= files
    local = client.download_artifacts(run.info.run_id, "ragdiag/report.json", str(tmp_path))
    assert json.loads(Path(local).read_text("utf-8")) == json.loads(
        (out / "report.json").read_text()
    )
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(UsageError, match=r"MLflow at http://127\.0\.0\.1:9"):
        log_evaluation(out, tracking_uri="http://127.0.0.1:9")
