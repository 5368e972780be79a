"""The run facts that can be known without asking: which pipeline, in which versions, from where."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from ragdiag.collecting.pipelines import Pipeline
from ragdiag.errors import UsageError

_TELLING = (
    "bm25s", "chromadb", "cohere", "elasticsearch", "faiss", "haystack", "langchain",
    "langchain_core", "llama_index", "milvus_lite", "openai", "anthropic", "pgvector", "pinecone",
    "pymilvus", "qdrant_client", "rank_bm25", "sentence_transformers", "torch", "transformers",
    "weaviate",
)  # fmt: skip
"""Packages whose version may change what a pipeline finds or says."""
OF_THE_PIPELINE = ("pipeline", "pipeline_hash")


def run_facts(pipeline: Pipeline, given: Mapping[str, Any], *, concurrency: int) -> dict[str, Any]:
    """Facts to write beside the samples; what the user gives wins over what the pipeline states.

    `pipeline_hash` is over the source file that defines it, not over what that imports.

    Raises:
        UsageError: both state one fact, with different values.
    """
    clash = [key for key in given if key in pipeline.facts and pipeline.facts[key] != given[key]]
    if clash:
        key = clash[0]
        raise UsageError(
            f"--run-info says {key} = {given[key]!r}, the pipeline {pipeline.facts[key]!r}: which?"
        )
    source = pipeline.source
    own: dict[str, Any] = {
        "pipeline": pipeline.name,
        "pipeline_hash": None if source is None else source_hash(source),
        "concurrency": concurrency,
        "python": platform.python_version(),
        "packages": _versions(),
    }
    return {
        **{key: value for key, value in own.items() if value is not None},
        **pipeline.facts,
        **given,
    }


def source_hash(path: Path) -> str:
    """Of the file that defines a user's function, not of what that imports."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _versions() -> dict[str, str]:
    """Versions of the telling packages that the pipeline has loaded."""
    loaded = [name for name in _TELLING if name in sys.modules]
    if not loaded:
        return {}
    owners = packages_distributions()
    found: dict[str, str] = {}
    for name in loaded:
        for owner in owners.get(name, ())[:1]:
            try:
                found[owner] = version(owner)
            except PackageNotFoundError:
                continue
    return found
