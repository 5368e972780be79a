from __future__ import annotations

import json
import subprocess
import sys

import pytest

import ragdiag

PUBLIC = [
    "DataError", "Diagnosis", "Evaluation", "IncompleteError", "Label", "Passage", "RagdiagError",
    "Sample", "SampleResult", "Score", "Settings", "UsageError", "collect", "collect_async",
    "evaluate", "evaluate_async", "load", "timed",
]  # fmt: skip
HEAVY = {"openai", "polars", "numpy", "ragas", "datasets", "scipy", "jinja2", "rich", "httpx"}


def loaded_after(code: str) -> set[str]:
    script = f"import json, sys; before = set(sys.modules); {code}; "
    script += "print(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout))


def test_the_import_is_light() -> None:
    found = loaded_after("import ragdiag")
    assert len(found) <= 250
    assert not {name.partition(".")[0] for name in found} & HEAVY


def test_the_command_line_is_light_until_a_command_runs() -> None:
    found = loaded_after("import ragdiag.cli.main")
    assert not {name.partition(".")[0] for name in found} & (HEAVY - {"rich"})


def test_lists_of_ids_are_scored_without_what_reads_texts() -> None:
    """It took a third of the time of a small run; `asyncio` belongs to judges."""
    found = loaded_after(
        "import ragdiag.cli.main, ragdiag.retrieval.files, ragdiag.report.retrieval"
    )
    assert not found & {
        "ragdiag.text.case",
        "ragdiag.text.quotes",
        "ragdiag.retrieval.match",
        "ssl",
    }


def test_the_public_names_are_pinned_and_resolve() -> None:
    assert ragdiag.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(ragdiag, name).__name__ == name
    assert set(PUBLIC) <= set(dir(ragdiag))


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ragdiag.nothing
