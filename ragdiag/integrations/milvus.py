"""Milvus: the search call of an application as a pipeline, and its exact twin to compare with.

    from pymilvus import MilvusClient
    from ragdiag.integrations.milvus import MilvusSearch

    search = MilvusSearch(MilvusClient("passages.db"), "passages", embed=my_embedding, limit=10)

    ragdiag collect queries.jsonl --pipeline my_search:search -o approximate.jsonl

`search.exact()` is the same call on a copy of the collection with a FLAT index: what it finds goes
to `ragdiag evaluate … --ann-exact`, which tells what the index loses apart from relevance.
The client is the application's own: milvus-lite (a file), a server, or Zilliz.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, cast

from ragdiag.errors import MissingExtraError, UsageError

_PASSAGE = ("passage_id", "doc_id", "page", "object_id", "start", "end", "text")
_BATCH = 1000
_SMALLER_IS_NEARER = frozenset(("L2", "HAMMING", "JACCARD"))


@dataclass(frozen=True)
class MilvusSearch:
    """One search of a collection; call it with a query, or name it as a `--pipeline`.

    client         a pymilvus MilvusClient.
    embed          a query's text -> its vector, as the application does it.
    limit          how many passages to fetch.
    output_fields  fields to fetch; those that no field of a passage is called go into metadata.
    fields         passage field -> field of the collection, where the names differ
                   ({"text": "chunk_text"}); `passage_id` is the primary key where not named.
    filter         an expression for every query; a query's own filter is added with "and".
    anns_field, search_params  as for `MilvusClient.search`.
    """

    client: Any
    collection: str
    embed: Callable[[str], Sequence[float]]
    limit: int = 10
    output_fields: Sequence[str] = ("*",)
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    filter: str = ""
    anns_field: str | None = None
    search_params: Mapping[str, Any] | None = None

    def __call__(self, query: str, filter: str | None = None) -> list[dict[str, Any]]:
        """The passages in Milvus's order, each with its id, text, metadata and score (higher is
        nearer: a distance is given with its sign turned)."""
        parts = [part for part in (self.filter, filter) if part]
        expression = (
            " and ".join(f"({part})" for part in parts) if len(parts) > 1 else "".join(parts)
        )
        found = self.client.search(
            self.collection,
            data=[self._embedded(query)],
            filter=expression,
            limit=self.limit,
            output_fields=list(self.output_fields),
            **({"search_params": dict(self.search_params)} if self.search_params else {}),
            **({"anns_field": self.anns_field} if self.anns_field else {}),
        )
        key, vector = self._primary, self._vector
        sign = -1.0 if self._index.get("metric_type") in _SMALLER_IS_NEARER else 1.0
        return [self._passage(hit, key, vector, sign) for hit in found[0]]

    def _embedded(self, query: str) -> list[float]:
        """The query's vector; milvus-lite searches with one of any length, and finds anything."""
        vector, name = list(self.embed(query)), self._vector
        params = next(one["params"] for one in self._schema["fields"] if one["name"] == name)
        if "dim" in params and len(vector) != int(params["dim"]):
            raise UsageError(
                f"embed gives {len(vector)} numbers; {self.collection}.{name} holds vectors of "
                f"{params['dim']}: is it the model that the collection was built with?"
            )
        return vector

    def _passage(
        self, hit: Mapping[str, Any], key: str, vector: str, sign: float
    ) -> dict[str, Any]:
        entity = {name: value for name, value in hit["entity"].items() if name != vector}
        given = {name: self.fields.get(name, name) for name in _PASSAGE}
        found = {name: entity.pop(source) for name, source in given.items() if source in entity}
        found.setdefault("passage_id", hit[key] if key in hit else hit["id"])
        entity.pop(key, None)
        metadata: Any = entity.pop("metadata", None)
        own: Mapping[str, Any] = (
            cast("Mapping[str, Any]", metadata) if isinstance(metadata, Mapping) else {}
        )
        kept = {**own, **entity}
        return {**found, "metadata": kept, "score": sign * float(hit["distance"])}

    @property
    def run_info(self) -> dict[str, Any]:
        """Run facts: collection, index, how much of it is indexed, and the search's parameters.

        Where `indexed_rows` is below `total_rows` the rest is scanned exactly, and nothing is
        learnt about the index: flush first, then create_index.
        """
        index = self._index
        told = ("index_type", "metric_type", "total_rows", "indexed_rows")
        facts = {
            "retriever": "milvus",
            "collection": self.collection,
            "index": {name: index[name] for name in told if name in index},
            "k": self.limit,
            "search_params": dict(self.search_params or {}),
            "filter": self.filter or None,
        }
        return {name: value for name, value in facts.items() if value is not None}

    def exact(self, name: str | None = None) -> MilvusSearch:
        """The same search on a copy of the collection with a FLAT index, made anew.

        name  of the copy; `COLLECTION_exact` where not given. It must not be the collection.
        """
        name = name or f"{self.collection}_exact"
        if name == self.collection:
            raise UsageError(f"the exact copy of {name} needs another name")
        copy_flat(self.client, self.collection, name)
        return replace(self, collection=name, search_params=None)

    @property
    def _schema(self) -> Mapping[str, Any]:
        return self.client.describe_collection(self.collection)

    @property
    def _primary(self) -> str:
        return next(one["name"] for one in self._schema["fields"] if one.get("is_primary"))

    @property
    def _vector(self) -> str:
        """The field that is searched."""
        if self.anns_field:
            return self.anns_field
        vectors = vector_fields(self._schema)
        if len(vectors) != 1:
            there = ", ".join(vectors) or "none"
            raise UsageError(
                f"{self.collection} has the vector fields {there}: say which one is searched "
                "(anns_field)"
            )
        return vectors[0]

    @property
    def _index(self) -> Mapping[str, Any]:
        names = self.client.list_indexes(self.collection, field_name=self._vector)
        return self.client.describe_index(self.collection, names[0]) if names else {}


def vector_fields(schema: Mapping[str, Any]) -> list[str]:
    """The names of a collection's vector fields."""
    return [
        one["name"]
        for one in schema["fields"]
        if str(getattr(one["type"], "name", one["type"])).endswith("VECTOR")
    ]


def copy_flat(client: Any, source: str, target: str) -> int:
    """Copies a collection in batches of 1,000 and gives each vector field a FLAT index of the
    metric that it has in the source; the number of rows. A collection `target` is replaced."""
    try:
        schemas: Any = import_module("pymilvus").CollectionSchema
    except ImportError:
        raise MissingExtraError("pymilvus", "milvus") from None
    described = client.describe_collection(source)
    vectors = vector_fields(described)
    if client.has_collection(target):
        client.drop_collection(target)
    client.create_collection(target, schema=schemas.construct_from_dict(described))
    total = 0
    for rows in _batches(client, source):
        client.insert(target, rows)
        total += len(rows)
    client.flush(target)  # only what is flushed is indexed
    index = client.prepare_index_params()
    for name in vectors:
        names = client.list_indexes(source, field_name=name)
        metric = client.describe_index(source, names[0])["metric_type"] if names else "COSINE"
        index.add_index(name, index_type="FLAT", metric_type=metric)
    client.create_index(target, index)
    client.load_collection(target)
    return total


def _batches(client: Any, collection: str) -> Iterator[list[dict[str, Any]]]:
    cursor = client.query_iterator(collection, batch_size=_BATCH, output_fields=["*"])
    try:
        while rows := cursor.next():
            yield [dict(row) for row in rows]
    finally:
        cursor.close()
