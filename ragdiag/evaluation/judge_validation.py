"""DIR/validation.json: how far people agree with the judge of an evaluation, measured and kept.

It speaks of one judge in one version. Later reports of that judge show it: of the same directory
by themselves, of others by `evaluate --judge-validation`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragdiag.errors import DataError, RagdiagError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.document_clusters import DocumentClusters
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.evaluation.page import write_page
from ragdiag.evaluation.people_labels import standing_labels
from ragdiag.evaluation.trained import trained_checks, trained_of
from ragdiag.records import Sample, SampleResult
from ragdiag.report import corrected
from ragdiag.report.corrected import Corrections
from ragdiag.report.judged_checks import judged_checks, validated
from ragdiag.report.labelled_items import LabelledItems
from ragdiag.report.people_checks import people_checks
from ragdiag.text.clusters import DOCUMENT, NO_CLUSTER, cluster_of, require_cluster
from ragdiag.text.slices import derived_slices

VALIDATION = "validation.json"
LABELS = "labels.jsonl"
"""Where labels of an evaluation stand by themselves, in its directory."""

_CELLS = ("tpr", "tnr")


def measure(
    directory: Path, labels: Sequence[Path] = (), *, cluster: str | None = None
) -> dict[str, Any]:
    """The judge of an evaluation against people, and people against people; nothing is written.

    labels   files; none: DIR/labels.jsonl, else those that the evaluation was given.
    cluster  what is drawn anew in intervals: as `evaluate --cluster`; None: as it was evaluated;
             "none" or no cluster at all: each query.

    Raises:
        UsageError: no evaluation directory, no labels, or none of its queries; an unknown cluster.
        DataError: broken labels.
    """
    manifest, report = manifest_of(directory), at.read_report(directory)
    files = files_of_labels(directory, labels)
    given = standing_labels(files)
    labelled = LabelledItems(given)
    if cluster not in (None, NO_CLUSTER):
        require_cluster(cluster or "", map(derived_slices, at.read_samples_copy(directory)))
    known: set[str] = set()
    of_people, trained = LabelledItems(given), Counter[str]()
    trained_on = trained_of(report)
    for sample, result in _placed(directory, cluster):
        of_people.add(result)
        trained += labelled.forget(sample.query_id, trained_checks(sample, trained_on))
        labelled.add(result)
        known.add(sample.query_id)
    if known.isdisjoint(one.query_id for one in given):
        raise UsageError(
            f"{_named(files)}: no label is of a query of {directory} (the first one of "
            f"{given[0].query_id!r}); are they of another data set?"
        )
    return {
        "schema_version": 1,
        "judge": {name: report["judge"].get(name) for name in ("name", "version")},
        "labels": {
            "file": [str(path) for path in files],
            "hash": _hash(files),
            "n": labelled.n_labels,
        },
        "data_hash": manifest.data_hash,
        "n_queries": report["corpus"]["n_queries"],
        "cluster": manifest.settings.cluster if cluster is None else cluster,
        "checks": judged_checks(labelled),
        "people": people_checks(of_people),
        "trained_on": dict(sorted(trained.items())),
    }


def _placed(directory: Path, cluster: str | None) -> Iterator[tuple[Sample, SampleResult]]:
    """The queries in the clusters of that name; None: as they were evaluated."""
    documents = None
    if cluster == DOCUMENT:
        documents = DocumentClusters.of(at.read_samples_copy(directory))
    name = None if cluster == NO_CLUSTER else cluster
    for sample, result in at.read_pairs(directory):
        if documents is not None:
            yield sample, documents.placed(sample, result)
        elif cluster is not None:
            found = cluster_of(sample, result.slices, name)
            yield sample, result.model_copy(update={"cluster": found})
        else:
            yield sample, result


def save(
    directory: Path, found: Mapping[str, Any], corrections: Corrections | None = None
) -> dict[str, Any]:
    """Keeps it: validation.json, `judge.validated` of report.json, and the page. Returns the
    report.

    corrections  by the same labels, where the report has none by them yet.
    """
    with at.sole_writer(directory):
        report = at.read_report(directory)
        if corrections is not None:
            corrected.put_into(report, corrections)
        put_into(report, Known(validated(found["checks"]), on_this_data=True))
        at.write_atomically(directory / VALIDATION, at.to_json(found))
        at.write_atomically(directory / at.REPORT, at.to_json(report))
    write_page(directory)
    return report


class Known(NamedTuple):
    """What `judge.validated` says, whether of this very data, and what is to be warned of."""

    checks: Mapping[str, Mapping[str, Any]]
    on_this_data: bool = False
    warning: str | None = None


def put_into(report: dict[str, Any], known: Known) -> None:
    """Fills `judge.validated`, and `judge.validated_elsewhere` where it was on other data."""
    report["judge"]["validated"] = dict(known.checks)
    report["judge"]["validated_elsewhere"] = bool(known.checks) and not known.on_this_data


def with_validation(
    report: dict[str, Any], known: Known, labels: Path | None, out: Path
) -> dict[str, Any]:
    """The report of `out` with what people's labels say of the judge: those that were given with
    the data, measured and kept; else what is known."""
    if labels is not None:
        return save(out, measure(out, [labels])) if report["judge"]["validated"] else report
    if known.checks:
        put_into(report, known)
        at.write_atomically(out / at.REPORT, at.to_json(report))
    return report


def known_validation(
    out: Path, given: Path | None, *, judge: str, version: str, data_hash: str
) -> Known:
    """What is known of a judge before it begins: of the file or directory that was given, else of
    an earlier `ragdiag agreement` in `out`.

    One of another judge, or of another version of it, is left out, with a warning. DataError where
    a given one cannot be read; one in `out` that cannot is left out with a warning.
    """
    path = out / VALIDATION if given is None else given
    if given is not None and given.is_dir():
        path = given / VALIDATION
    if given is None and not path.exists():
        return Known({})
    try:
        found = read_validation(path)
    except RagdiagError as fault:
        if given is not None:
            raise
        return Known({}, warning=f"left out: {fault}")
    theirs = (found["judge"].get("name"), found["judge"].get("version"))
    if theirs != (judge, version):
        return Known(
            {},
            warning=(
                f"{path} validates judge {theirs[0]} (version {theirs[1]}), and here judges "
                f"{judge} (version {version}): left out, this judge is not validated by it"
            ),
        )
    return Known(validated(found["checks"]), on_this_data=found.get("data_hash") == data_hash)


def read_validation(path: Path) -> dict[str, Any]:
    """A validation.json; UsageError where there is none, DataError where it is another file."""
    if not path.exists():
        raise UsageError(
            f"{path} is not there: `ragdiag agreement DIR --labels FILE` makes it, in DIR"
        )
    found = at.read_json(path)
    checks = found.get("checks")
    sound = (
        found.get("schema_version") == 1
        and isinstance(found.get("judge"), dict)
        and isinstance(checks, dict)
        and all(map(_is_sound, checks.values()))  # pyright: ignore[reportUnknownArgumentType]
    )
    if not sound:
        raise DataError(f"{path} is no validation.json (schema_version 1) of `ragdiag agreement`")
    return found


def _is_sound(row: Any) -> bool:
    if not isinstance(row, dict):
        return False
    counts = all(isinstance(row.get(name), int) for name in ("n", "n_undecided"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    cells = all(isinstance(row.get(name), dict) and "value" in row[name] for name in _CELLS)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return counts and cells and isinstance(row.get("trusted"), bool) and "why" in row  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def files_of_labels(directory: Path, given: Sequence[Path]) -> list[Path]:
    """The files that were given; else DIR/labels.jsonl, else those that the evaluation was given.
    UsageError where there are none."""
    if given:
        return list(given)
    if (directory / LABELS).exists():
        return [directory / LABELS]
    found = [Path(one) for one in manifest_of(directory).inputs.get("labels", [])]
    if not found:
        raise UsageError(
            f"whose labels? Give --labels FILE (there is no {directory / LABELS}, and the "
            "evaluation was given none)"
        )
    return found


def _hash(files: Sequence[Path]) -> str:
    told = hashlib.sha256()
    for path in files:
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


def _named(files: Sequence[Path]) -> str:
    return ", ".join(map(str, files))
