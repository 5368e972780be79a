"""Milvus, embedded: ids kept, filters applied, the exact copy exact. Runs in `make milvus`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragdiag import collect
from ragdiag.errors import UsageError

pymilvus = pytest.importorskip(
    "pymilvus", reason="the extra `milvus` is not installed: make milvus"
)
pytest.importorskip("milvus_lite", reason="the extra `milvus` is not installed: make milvus")

from ragdiag.integrations.milvus import MilvusSearch, copy_flat  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of the vector engine's own

N, DIM, K = 600, 16, 10
RNG = np.random.default_rng(7)
VECTORS = RNG.normal(size=(N, DIM)).astype("float32")
QUERIES = RNG.normal(size=(12, DIM)).astype("float32")


def embed(query: str) -> list[float]:
    return QUERIES[int(query)].tolist()


def nearest(query: int, *, years: tuple[int, ...] = (2016, 2017)) -> list[str]:
    """By cosine, over all vectors, in plain numpy."""
    unit = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    order = np.argsort(-(unit @ QUERIES[query]))
    return [f"p{i}" for i in order if 2016 + i % 2 in years][:K]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    client = pymilvus.MilvusClient(str(tmp_path_factory.mktemp("milvus") / "m.db"))
    kinds = pymilvus.DataType
    schema = client.create_schema(auto_id=False)
    schema.add_field("key", kinds.VARCHAR, is_primary=True, max_length=16)
    schema.add_field("body", kinds.VARCHAR, max_length=64)
    schema.add_field("doc_id", kinds.VARCHAR, max_length=16)
    schema.add_field("page", kinds.INT64)
    schema.add_field("year", kinds.INT64)
    schema.add_field("vector", kinds.FLOAT_VECTOR, dim=DIM)
    client.create_collection("c", schema=schema)
    rows = [
        {"key": f"p{i}", "body": f"text {i}", "doc_id": f"d{i // 10}", "page": i % 10,
         "year": 2016 + i % 2, "vector": VECTORS[i].tolist()}
        for i in range(N)
    ]  # fmt: skip
    client.insert("c", rows)
    client.flush("c")
    index = client.prepare_index_params()
    index.add_index(
        "vector", index_type="HNSW", metric_type="COSINE", params={"M": 4, "efConstruction": 8}
    )
    client.create_index("c", index)
    client.load_collection("c")
    yield client
    client.close()


@pytest.fixture(scope="module")
def search(client: Any) -> MilvusSearch:
    return MilvusSearch(
        client, "c", embed, limit=K, output_fields=("body", "doc_id", "page", "year"),
        fields={"text": "body"}, search_params={"params": {"ef": K}},
    )  # fmt: skip


@pytest.fixture(scope="module")
def exact(search: MilvusSearch) -> MilvusSearch:
    return search.exact()


def test_the_exact_copy_finds_what_numpy_finds(exact: MilvusSearch) -> None:
    for query in range(len(QUERIES)):
        assert [one["passage_id"] for one in exact(str(query))] == nearest(query)


def test_a_passage_has_its_fields_and_the_rest_in_metadata(exact: MilvusSearch) -> None:
    first = exact("0")[0]
    number = int(nearest(0)[0][1:])
    assert first.pop("score") == pytest.approx(
        float(
            VECTORS[number]
            @ QUERIES[0]
            / np.linalg.norm(VECTORS[number])
            / np.linalg.norm(QUERIES[0])
        ),
        abs=1e-5,
    )
    assert first == {
        "passage_id": f"p{number}", "text": f"text {number}", "doc_id": f"d{number // 10}",
        "page": number % 10, "metadata": {"year": 2016 + number % 2},
    }  # fmt: skip


def test_a_querys_filter_and_the_applications_are_both_applied(exact: MilvusSearch) -> None:
    found = exact("1", filter="year == 2017")
    assert [one["passage_id"] for one in found] == nearest(1, years=(2017,))
    both = replace(exact, filter="page < 5 or page > 100")
    for one in both("1", filter="year == 2017"):
        assert one["metadata"]["year"] == 2017
        assert one["page"] < 5


def test_the_approximate_index_loses_some_and_says_what_it_is(
    search: MilvusSearch, exact: MilvusSearch
) -> None:
    overlap = []
    for query in range(len(QUERIES)):
        found = {one["passage_id"] for one in search(str(query))}
        overlap.append(len(found & set(nearest(query))) / K)
    assert 0.3 < sum(overlap) / len(overlap) < 1.0
    assert search.run_info == {
        "retriever": "milvus", "collection": "c", "k": K, "search_params": {"params": {"ef": K}},
        "index": {"index_type": "HNSW", "metric_type": "COSINE", "total_rows": N, "indexed_rows": N},
    }  # fmt: skip
    assert exact.run_info["index"]["index_type"] == "FLAT"


def test_it_is_a_pipeline(search: MilvusSearch) -> None:
    (sample,) = collect([{"query_id": "q", "query": "2", "filter": "year == 2016"}], search)
    assert sample.error is None
    assert len(sample.retrieved or ()) == K
    assert {one.metadata["year"] for one in sample.retrieved or ()} == {2016}


def test_a_wrong_filter_is_the_samples_error(search: MilvusSearch) -> None:
    (sample,) = collect([{"query_id": "q", "query": "2", "filter": "yeer =! 2016"}], search)
    assert sample.retrieved is None
    assert "MilvusException" in (sample.error or "")


def test_the_copy_needs_a_name_of_its_own(search: MilvusSearch, client: Any) -> None:
    with pytest.raises(UsageError, match="another name"):
        search.exact("c")
    assert copy_flat(client, "c", "again") == N


def test_the_example_measures_two_recalls(tmp_path: Path) -> None:
    """As `make example-milvus`: equal to the retrieval layer on the same lists."""
    root = Path(__file__).resolve().parents[2]
    queries = root / "examples" / "annual-report" / "samples.jsonl"

    def run(*arguments: Any) -> str:
        command = [sys.executable, "-m", "ragdiag", *map(str, arguments)]
        place = {**os.environ, "RAGDIAG_MILVUS": str(tmp_path / "m.db")}
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=False, env=place
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    for name in ("exact", "approximate"):
        run(
            "collect",
            queries,
            "--pipeline",
            f"examples/milvus/search.py:{name}",
            "-o",
            tmp_path / f"{name}.jsonl",
        )
    lists, reference = tmp_path / "approximate.jsonl", tmp_path / "exact.jsonl"
    run("evaluate", lists, "--ann-exact", reference, "-o", tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    alone = json.loads(
        run("retrieval", queries, lists, "--metrics", "recall@10,rr@10,ndcg@10", "--json")
    )
    for metric in ("recall@10", "rr@10", "ndcg@10"):
        assert report["metrics"][metric]["value"] == pytest.approx(
            alone["metrics"][metric]["value"], abs=1e-12
        )
    ids = {}
    for path in (lists, reference):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        ids[path] = {
            row["query_id"]: {one["passage_id"] for one in row["retrieved"]} for row in rows
        }
    by_hand = [len(ids[lists][q] & ids[reference][q]) / 10 for q in ids[reference]]
    ann = report["ann"]["metrics"]["ann_recall@10"]["value"]
    assert ann == pytest.approx(sum(by_hand) / len(by_hand))
    assert ann < 1


def test_a_vector_of_another_model_is_refused(search: MilvusSearch) -> None:
    """milvus-lite itself finds something with a vector of any length."""
    with pytest.raises(UsageError, match=r"embed gives 1 numbers; .* holds vectors of \d+"):
        replace(search, embed=lambda _: [0.0])("q")
