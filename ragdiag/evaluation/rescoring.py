"""Scores and diagnoses anew from the verdicts on disk: no judge is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragdiag.diagnosis.ladder import with_ladder
from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.aggregating import by_cluster
from ragdiag.evaluation.document_clusters import DocumentClusters
from ragdiag.evaluation.explaining import find
from ragdiag.evaluation.external import read_external
from ragdiag.evaluation.ladder_log import read_ladder
from ragdiag.evaluation.manifest import Manifest, manifest_of
from ragdiag.evaluation.page import write_page
from ragdiag.pipeline import metric_kinds, sample_hash, score_sample
from ragdiag.records import Corpus, Judgement, Sample, SampleResult, Settings
from ragdiag.report.corrected import carry_over
from ragdiag.report.summary import Summary
from ragdiag.text.clusters import DOCUMENT, require_cluster
from ragdiag.text.slices import derived_slices


def rescore_directory(
    directory: Path,
    *,
    changes: dict[str, object] | None = None,
    corpus: Path | None = None,
    opened: Corpus | None = None,
) -> dict[str, Any]:
    """Rewrites results, scores and report of an evaluation, with some settings changed.

    `opened` is its corpus where that has been read already.

    DataError where a query has no verdicts, its sample is another one than was judged, samples are
    missing, or the corpus is not the one of the evaluation: then nothing is changed.
    """
    old = at.read_report(directory)
    manifest = manifest_of(directory)
    with at.sole_writer(directory):
        opened = open_corpus(corpus, manifest) if opened is None else opened
        found = _rescored(directory, old, manifest, changes or {}, opened)
    write_page(directory)
    return found


def _rescored(
    directory: Path,
    old: dict[str, Any],
    manifest: Manifest,
    changes: dict[str, object],
    opened: Corpus | None,
) -> dict[str, Any]:
    settings = Settings.model_validate({**manifest.settings.model_dump(), **changes})
    if settings.cluster not in (None, DOCUMENT):
        require_cluster(
            settings.cluster, (derived_slices(one) for one in at.read_samples_copy(directory))
        )
    documents = None
    if settings.cluster == DOCUMENT:
        documents = DocumentClusters.of(at.read_samples_copy(directory))
    judgements = at.read_judgements(directory / at.VERDICTS)
    flags = {r.query_id: r.flags for r in at.read_results(directory)}
    external, ladder = read_external(directory), read_ladder(directory)
    kinds = {**metric_kinds(settings), **external.kinds()}
    summary = Summary(
        settings=settings,
        metrics=kinds,
        judge=old["judge"],
        corpus={key: old["corpus"][key] for key in ("n_documents", "n_passages", "data_hash")},
        run=manifest.run,
        external=external.tools,
    )
    with at.Writer(directory) as writer:
        for sample in at.read_samples_copy(directory):
            judgement = _judgement(judgements, sample, manifest, directory)
            result = score_sample(
                sample,
                judgement,
                settings=settings,
                corpus=opened,
                flags=flags.get(sample.query_id, ()),
            )
            result = ladder.merged(sample, external.merged(sample, result), settings)
            if documents is not None:
                result = documents.placed(sample, result)
            writer.add(sample, result)
            summary.add(result)
        if summary.n_queries != manifest.n_samples:
            raise DataError(
                f"{directory / at.SAMPLES}: holds {summary.n_queries} samples, "
                f"{at.MANIFEST} says {manifest.n_samples}; run evaluate again"
            )
        writer.commit()
    found = summary.report(warnings=old["warnings"])
    found["ann"] = old.get("ann")  # lists and exact lists are those of the evaluation
    if "agreement" in old:
        found["agreement"] = old["agreement"]
    carry_over(found, old)
    by_cluster(found, directory, settings, kinds)
    at.write_atomically(directory / at.REPORT, at.to_json(found))
    manifest = manifest.model_copy(update={"settings": settings})
    at.write_atomically(directory / at.MANIFEST, manifest.to_json())
    return found


def _judgement(
    judgements: Mapping[str, Judgement], sample: Sample, manifest: Manifest, directory: Path
) -> Judgement:
    """What was said of this very sample, in this very evaluation; else DataError."""
    judgement = judgements.get(sample.query_id)
    if judgement is None or judgement.sample_hash != sample_hash(sample):
        raise DataError(
            f"{directory / at.VERDICTS}: no verdicts on query {sample.query_id!r} as it "
            "stands in the samples; run evaluate again"
        )
    if judgement.asked_with != manifest.asked_with:
        raise DataError(
            f"{directory / at.VERDICTS}: the verdicts on query {sample.query_id!r} are of "
            "another judge or other settings than the evaluation; run evaluate again"
        )
    return judgement


def rescored_by(
    directory: Path,
    query_id: str,
    generator: str,
    generator_hash: str | None,
    *,
    opened: Corpus | None = None,
) -> tuple[Sample, SampleResult]:
    """One query with the ladder of another generator than the one in the results; nothing is
    written. UsageError where there is no such query."""
    manifest = manifest_of(directory)
    sample, before = find(directory, query_id)
    judgements = at.read_judgements(directory / at.VERDICTS)
    result = score_sample(
        sample,
        _judgement(judgements, sample, manifest, directory),
        settings=manifest.settings,
        corpus=opened,
        flags=before.flags,
    )
    result = read_external(directory).merged(sample, result)
    found = read_ladder(directory).of(sample, generator, generator_hash)
    return sample, with_ladder(result, sample, found, settings=manifest.settings)


def open_corpus_of(directory: Path, given: Path | None) -> Corpus | None:
    """The corpus of the evaluation in a directory; see `open_corpus`."""
    return open_corpus(given, manifest_of(directory))


def open_corpus(given: Path | None, manifest: Manifest) -> Corpus | None:
    """The corpus of an evaluation, read again; DataError where it is gone or another one."""
    recorded = manifest.inputs.get("corpus", [])
    path = given or (Path(recorded[0]) if recorded else None)
    if path is None:
        return None
    if not path.exists():
        raise DataError(
            f"the corpus {path} of this evaluation is not there; name its place with --corpus"
        )
    from ragdiag.data.corpus import read_corpus  # noqa: PLC0415 - needed here only

    found = read_corpus(path)
    if found.data_hash != manifest.corpus_hash:
        otherwise = " (or another version of pypdf reads it otherwise)" if found.of_pages else ""
        raise DataError(
            f"the corpus {path} is not the one that was evaluated with{otherwise}: its hash is "
            f"{found.data_hash}, the manifest says {manifest.corpus_hash}; run evaluate again"
        )
    return found
