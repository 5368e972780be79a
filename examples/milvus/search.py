"""The example passages in Milvus: an approximate index, and the exact search to hold it against.

    ragdiag collect queries.jsonl --pipeline examples/milvus/search.py:approximate

The collection lies in a file of milvus-lite (ragdiag-example/milvus.db, or $RAGDIAG_MILVUS) and is
built anew by each process. 76 passages need no index; its parameters are poor on purpose (few of
the lists are probed), so that what it loses can be seen.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from embedding import Embedding
from pymilvus import DataType, MilvusClient

from ragdiag.integrations.milvus import MilvusSearch

CORPUS = Path(__file__).resolve().parents[1] / "annual-report" / "corpus.jsonl"
DATABASE = Path(os.environ.get("RAGDIAG_MILVUS", "ragdiag-example/milvus.db"))
NAME = "passages"
DIM = 48


def build(client: MilvusClient, passages: list[dict[str, Any]], embedding: Embedding) -> None:
    """Rows first, then flush, then the index: milvus-lite scans exactly what is not flushed."""
    if client.has_collection(NAME):
        client.drop_collection(NAME)
    schema = client.create_schema(auto_id=False)
    schema.add_field("passage_id", DataType.VARCHAR, is_primary=True, max_length=64)
    schema.add_field("doc_id", DataType.VARCHAR, max_length=64)
    schema.add_field("page", DataType.INT64)
    schema.add_field("text", DataType.VARCHAR, max_length=8000)
    schema.add_field("metadata", DataType.JSON)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=DIM)
    client.create_collection(NAME, schema=schema)
    rows = [
        {
            "passage_id": one["passage_id"],
            "doc_id": one["doc_id"],
            "page": one["page"],
            "text": one["text"],
            "metadata": one.get("metadata", {}),
            "vector": embedding.embed(one["text"]),
        }
        for one in passages
    ]
    client.insert(NAME, rows)
    client.flush(NAME)
    index = client.prepare_index_params()
    index.add_index("vector", index_type="IVF_FLAT", metric_type="COSINE", params={"nlist": 64})
    client.create_index(NAME, index)
    client.load_collection(NAME)


def connect() -> MilvusSearch:
    """The search that an application would make."""
    DATABASE.parent.mkdir(parents=True, exist_ok=True)
    with CORPUS.open(encoding="utf-8") as lines:
        passages = [json.loads(line) for line in lines]
    embedding = Embedding([one["text"] for one in passages], DIM)
    client = MilvusClient(str(DATABASE))
    build(client, passages, embedding)
    return MilvusSearch(
        client,
        NAME,
        embed=embedding.embed,
        limit=10,
        output_fields=("doc_id", "page", "text", "metadata"),
        search_params={"params": {"nprobe": 7}},
    )


approximate = connect()
exact = approximate.exact()
