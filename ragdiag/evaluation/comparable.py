"""Whether evaluations may be compared: what is asked, who is the baseline, which facts forbid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.errors import UsageError
from ragdiag.evaluation.compared_runs import Lined, ReadRun, names_of, other_labels, read_run
from ragdiag.evaluation.directory import MANIFEST, read_json
from ragdiag.report.run_facts import refused_kinds, unstated

if TYPE_CHECKING:
    from ragdiag.stats.multiplicity import Correction


@dataclass(frozen=True)
class Asked:
    """What to compare.

    metrics     names as in the report, or without "@k" (then at the largest k that all share); None
                for a short list.
    slices      dimensions; each of their values is tested beside all queries.
    cluster     document, query, question or a dimension, as in an evaluation; "none" for each
                query by itself; None for the clusters of the evaluation, if it has some.
    allow       kinds of facts that may differ (ALLOWABLE).
    """

    metrics: tuple[str, ...] | None = None
    slices: tuple[str, ...] = ()
    correction: Correction = "holm"
    cluster: str | None = None
    allow: frozenset[str] = frozenset()


def read_all(directories: Sequence[Path], baseline: str | None) -> list[ReadRun]:
    """All runs, the baseline (a run's name or directory; None: the first) before the others."""
    told = [_run_facts(directory) for directory in directories]
    names = names_of(directories, told)
    runs = [read_run(path, name) for path, name in zip(directories, names, strict=True)]
    if baseline is None:
        return runs
    for run in runs:
        if baseline in (run.name, str(run.directory), run.directory.name):
            return [run, *(other for other in runs if other is not run)]
    raise UsageError(f"--baseline {baseline}: none of the runs; they are {', '.join(names)}")


def _run_facts(directory: Path) -> Mapping[str, Any]:
    if not directory.is_dir():
        what = "is a file" if directory.exists() else "is not there"
        raise UsageError(f"{directory} {what}; name directories that `ragdiag evaluate … -o` made")
    found = read_json(directory / MANIFEST).get("run")
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


_MEANS = {
    "corpus": "another corpus: what could be found is not the same. If the documents are the same "
    "and only cut otherwise, say so with --allow corpus",
    "queries": "another set of queries by its own account. If the shared ones are the same, say so "
    "with --allow queries",
    "judge": "another judge: a difference may be the judge's. Evaluate both with one judge, or "
    "compare what no judge touches (--metrics recall,ndcg), or --allow judge",
    "settings": "other settings: a score of one name is not the same measure. `ragdiag rescore` or "
    "evaluate with the same ones, or say --allow settings",
}


def fact_warnings(runs: Sequence[ReadRun], asked: Asked) -> list[str]:
    """What is to be said of facts that differ; UsageError where they differ and may not."""
    base, warnings = runs[0], list[str]()
    for run in runs[1:]:
        if run.directory.resolve() == base.directory.resolve():
            warnings.append(f"{run.name} is the baseline's own directory: nothing can differ")
        for kind, facts in refused_kinds(base.facts, run.facts).items():
            told = ", ".join(f"{name} {a} / {b}" for name, (a, b) in facts.items())
            if kind in asked.allow:
                warnings.append(f"{kind} of {base.name} and {run.name} differ, as allowed: {told}")
            elif kind == "judge" and _without_judge(base, asked):
                warnings.append(
                    f"{base.name} and {run.name} have other judges ({told}): flips and categories "
                    "may be the judge's"
                )
            else:
                raise UsageError(f"{base.directory} and {run.directory}: {_MEANS[kind]} ({told})")
        for name in unstated(base.facts, run.facts):
            warnings.append(
                f"only one of {base.name} and {run.name} states {name}: not comparable there"
            )
        versions = [str(one.manifest["ragdiag"]) for one in (base, run)]
        if versions[0] != versions[1]:
            warnings.append(
                f"{base.name} and {run.name} are of ragdiag {' and '.join(versions)}: rescore both"
            )
    return warnings


def label_warnings(runs: Sequence[ReadRun], lined: Lined, asked: Asked) -> list[str]:
    """What is to be said where the shared queries are held to other labels in one run than in the
    baseline; UsageError where that is not allowed: a difference may be that of the labels."""
    base, warnings = runs[0], list[str]()
    for run in runs[1:]:
        n, some = other_labels(lined.frames[run.name], lined.frames[base.name])
        if not n:
            continue
        of = f"{n} of the {len(lined.query_ids)} shared queries"
        if "queries" not in asked.allow:
            raise UsageError(
                f"{base.directory} and {run.directory}: {of} have another reference, gold, qrels, "
                f"answerable or target ({some}): a difference may be the labels'. Evaluate both "
                "runs with one set of labels, or say --allow queries"
            )
        warnings.append(f"{of} have other labels in {run.name}, as allowed: {some}")
    return warnings


def _without_judge(run: ReadRun, asked: Asked) -> bool:
    """Are only metrics asked for that no judge touches?"""
    names = asked.metrics or ()
    layers = {
        name.partition("@")[0].rpartition(":")[2]: row["layer"]
        for name, row in run.report["metrics"].items()
    }
    return bool(names) and all(
        layers.get(name.partition("@")[0].rpartition(":")[2]) == "retrieval" for name in names
    )
