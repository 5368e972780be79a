"""What people's labels correct: rates of metrics and shares of categories, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragdiag.errors import DataError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.evaluation.people_codes import CodesByPeople
from ragdiag.evaluation.rescoring import open_corpus
from ragdiag.evaluation.trained import trained_checks, trained_of
from ragdiag.records import Corpus, Judgement, Label, Sample, SampleResult, Settings
from ragdiag.report.corrected import Corrections


class ByPeopleToo:
    """Counts each query as the judge has it, and as people have those that they labelled."""

    def __init__(
        self, labels: Sequence[Label], *, settings: Settings, corpus: Corpus | None
    ) -> None:
        self.corrections = Corrections(labels)
        self._codes = CodesByPeople(labels, settings=settings, corpus=corpus)

    def forget(self, query_id: str, checks: Sequence[str]) -> None:
        """Drops what people say of checks on a query, before it is added; its code by people rests
        on them, and goes with them."""
        if checks:
            self.corrections.forget(query_id, checks)
            self._codes.forget(query_id)

    def add(self, sample: Sample, result: SampleResult, judgement: Judgement) -> None:
        """One more query."""
        self.corrections.add(result)
        known = self._codes.of(sample, judgement, result.flags)
        self.corrections.add_code(
            result.diagnosis.code,
            None if known is None else known.code,
            None if known is None else known.weight,
        )


def corrections_of(directory: Path, labels: Sequence[Label]) -> tuple[Corrections, str | None]:
    """The corrections of an evaluation that is there, by labels that it was not given; and a
    warning where its corpus is gone or another one by now, without which only metrics are
    corrected. Labels that the judge was calibrated on correct nothing.

    Raises:
        DataError: a damaged directory.
    """
    manifest = manifest_of(directory)
    try:
        corpus, warning = open_corpus(None, manifest), None
    except DataError as fault:
        corpus, warning = None, f"shares of categories are not corrected: {fault}"
    found = ByPeopleToo(labels, settings=manifest.settings, corpus=corpus)
    judgements = at.read_judgements(directory / at.VERDICTS)
    trained_on = trained_of(at.read_report(directory))
    for sample, result in at.read_pairs(directory):
        found.forget(sample.query_id, trained_checks(sample, trained_on))
        if warning is None:
            found.add(sample, result, judgements[sample.query_id])
        else:
            found.corrections.add(result)
    return found.corrections, warning
