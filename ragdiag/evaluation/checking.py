"""What `ragdiag check` tells: problems, warnings, and what the data allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragdiag.data.capabilities import capabilities
from ragdiag.data.validation import validate
from ragdiag.evaluation.files import Inputs, read_run_info
from ragdiag.evaluation.health.checkup import Checkup, read_development


def check_files(
    inputs: Inputs, *, dev: Path | None = None, traffic: Path | None = None
) -> dict[str, Any]:
    """The findings as a JSON object; problems and warnings are cut at 100, their counts are not.

    `dev`: the development split, which a test split must not share. `traffic`: queries of the real
    system, which the set should be like. Raises DataError where one of these cannot be read.
    """
    run_info = read_run_info(inputs.run_info)
    development = read_development(dev) if dev is not None else None
    health = Checkup(development=development, with_profile=traffic is not None)
    found = validate(
        inputs.checked().samples,
        queries=inputs.queries,
        run=inputs.run,
        corpus=inputs.corpus or (),
        labels=inputs.labels or (),
        observe=health.add,
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
        "health": health.report(labels=found.labels, run_info=run_info, traffic=traffic),
    }
