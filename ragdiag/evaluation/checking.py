"""What `ragdiag check` tells: problems, warnings, and what the data allows."""

from __future__ import annotations

from typing import Any

from ragdiag.data.capabilities import capabilities
from ragdiag.data.validation import validate
from ragdiag.evaluation.files import Inputs


def check_files(inputs: Inputs) -> dict[str, Any]:
    """The findings as a JSON object; problems and warnings are cut at 100, their counts are not."""
    found = validate(
        inputs.checked().samples,
        queries=inputs.queries,
        run=inputs.run,
        corpus=inputs.corpus or (),
        labels=inputs.labels or (),
    )
    return {
        "n_samples": found.n_samples,
        "n_problems": found.n_problems,
        "problems": [str(problem) for problem in found.problems],
        "problem_counts": dict(found.counts),
        "warnings": [str(warning) for warning in found.warnings],
        "warning_counts": dict(found.warning_counts),
        "capabilities": [
            {
                "name": one.name,
                "n": one.n,
                "missing": dict(one.missing),
                "partly": dict(one.partly),
            }
            for one in capabilities(found)
        ],
    }
