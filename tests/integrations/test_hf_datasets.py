"""Datasets of Hugging Face: rows become samples, results become a dataset. Runs in `make ragas`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragdiag import evaluate
from ragdiag.data.native import read
from ragdiag.errors import DataError, UsageError
from tests.runs import row

datasets = pytest.importorskip(
    "datasets", reason="the extra `datasets` is not installed: make ragas"
)

from ragdiag.integrations.hf_datasets import read_dataset, results_dataset  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

COLUMNS = {"query": "question", "reference": "answers.text", "retrieved": "docs", "slices": "about"}


def rows(n: int) -> list[dict[str, Any]]:
    return [
        {
            "question": f"question {i}?",
            "answers": {"text": [f"answer {i}"], "start": [3]},
            "docs": [{"passage_id": f"p{i}", "text": "body"}],
            "about": {"year": 2017},
            "unused": 1,
        }
        for i in range(n)
    ]


@pytest.fixture
def dataset() -> Any:
    return datasets.Dataset.from_list(rows(2500))


def test_rows_become_samples_by_a_mapping_of_columns(dataset: Any) -> None:
    found = list(read_dataset(dataset, columns=COLUMNS))
    assert len(found) == 2500
    last = found[-1]
    assert (last.query_id, last.query, last.reference) == (
        "2500",
        "question 2499?",
        ("answer 2499",),
    )
    assert last.retrieved is not None
    assert (last.retrieved[0].passage_id, last.slices) == ("p2499", {"year": "2017"})


def test_the_same_streamed_from_a_folder_and_of_splits(dataset: Any, tmp_path: Path) -> None:
    wanted = list(read_dataset(dataset, columns=COLUMNS))
    assert list(read_dataset(dataset.to_iterable_dataset(), columns=COLUMNS)) == wanted
    dataset.save_to_disk(str(tmp_path / "saved"))
    assert list(read_dataset(tmp_path / "saved", columns=COLUMNS)) == wanted
    splits = datasets.DatasetDict({"train": dataset, "test": dataset.select(range(3))})
    assert list(read_dataset(splits, columns=COLUMNS, split="test")) == wanted[:3]
    (tmp_path / "plain").mkdir()
    dataset.to_parquet(str(tmp_path / "plain" / "part.parquet"))
    assert list(read_dataset(tmp_path / "plain", columns=COLUMNS)) == wanted


def test_native_columns_need_no_mapping() -> None:
    given = [row("a"), row("b")]
    found = list(read_dataset(datasets.Dataset.from_list(given)))
    assert [sample.query_id for sample in found] == ["a", "b"]
    assert evaluate(found).report["metrics"] == evaluate(given).report["metrics"]


def test_a_struct_of_lists_is_a_list_of_structs() -> None:
    old = datasets.Dataset.from_list(
        [{"query": "?", "retrieved": {"passage_id": ["p1", "p2"], "text": ["one", "two"]}}]
    )
    (sample,) = read_dataset(old)
    assert [passage.text for passage in sample.retrieved or ()] == ["one", "two"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": {"query": "nope"}}, "no column 'nope'; it has question, answers"),
        ({"columns": {"frage": "question"}}, "no field 'frage'"),
        ({}, "no column 'query'.*--map query=question"),
    ],
)
def test_what_cannot_be_mapped(dataset: Any, options: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        list(read_dataset(dataset, **options))


def test_splits_are_named(dataset: Any) -> None:
    splits = datasets.DatasetDict({"train": dataset, "test": dataset})
    with pytest.raises(UsageError, match="train, test: none is named"):
        read_dataset(splits)
    with pytest.raises(UsageError, match="'dev' is not one of them"):
        read_dataset(splits, split="dev")


def test_a_broken_row_is_named() -> None:
    bad = datasets.Dataset.from_list([{"query": "?"}, {"query": None}])
    with pytest.raises(DataError, match="query"):
        list(read_dataset(bad))


def test_results_go_out() -> None:
    found = evaluate([row("a"), row("b", answer=None)])
    out = results_dataset(found.results)
    assert out.num_rows == 2
    assert out["query_id"][:] == ["a", "b"]
    assert out["recall@5"][:] == [1.0, 1.0]
    assert {"metric", "value", "reason"} <= set(
        results_dataset(found.results, long=True).column_names
    )


def test_the_command_line_writes_samples(dataset: Any, tmp_path: Path) -> None:
    from typer.testing import CliRunner  # noqa: PLC0415

    from ragdiag.cli.main import app  # noqa: PLC0415

    dataset.select(range(3)).save_to_disk(str(tmp_path / "saved"))
    out = tmp_path / "samples.jsonl"
    pairs = [part for field, column in COLUMNS.items() for part in ("--map", f"{field}={column}")]
    done = CliRunner().invoke(app, ["convert", f"hf:{tmp_path / 'saved'}", "-o", str(out), *pairs])
    assert done.exit_code == 0, done.output
    assert [sample.query for sample in read(out)] == ["question 0?", "question 1?", "question 2?"]
    bad = CliRunner().invoke(
        app, ["convert", f"hf:{tmp_path / 'saved'}", "-o", str(out), "--map", "query"]
    )
    assert isinstance(bad.exception, UsageError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["samples.jsonl", "saved"]


def test_texts_are_never_ids() -> None:
    texts = datasets.Dataset.from_dict({
        "question": ["Who?"], "contexts": [["Ann was the first to hold the office in 2017."]],
    })  # fmt: skip
    with pytest.raises(UsageError, match=r"'contexts', row 1: .* looks like a text, not an id"):
        list(read_dataset(texts, columns={"query": "question", "retrieved": "contexts"}))


@pytest.mark.parametrize("source", [None, [{"query": "Q"}]])
def test_what_is_no_dataset(source: Any) -> None:
    with pytest.raises(UsageError, match="a dataset, its name on the hub or its folder"):
        list(read_dataset(source))


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        list(read_dataset(tmp_path / "absent"))
