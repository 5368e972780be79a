"""What an evaluation adds up over its samples, and the report that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragdiag.evaluation.correcting import ByPeopleToo
from ragdiag.evaluation.external import External
from ragdiag.evaluation.trained import trained_checks, trained_warning
from ragdiag.judging.repeated import Flips
from ragdiag.records import ERROR, JudgeFailure, Judgement, Sample, SampleResult
from ragdiag.report.agreement import Agreement
from ragdiag.report.corrected import put_into

if TYPE_CHECKING:
    from ragdiag.evaluation.run import Plan

_SHOWN = 200  # characters of what a judge's server said


class Totals:
    """All that an evaluation adds up over its samples."""

    def __init__(self, plan: Plan, external: External | None = None) -> None:
        self._plan = plan
        self._summary = plan.summary(external or External())
        self._agreement = Agreement(plan.labels)
        self._by_people = ByPeopleToo(plan.labels, settings=plan.settings, corpus=plan.corpus)
        self._calls_saved: int | None = None
        self._flips = Flips()
        self._failure: str | None = None
        self._trained = Counter[str]()

    def add(self, sample: Sample, result: SampleResult, judgement: Judgement) -> None:
        """One more sample."""
        self._summary.add(result)
        self._forget_trained(sample)
        self._agreement.add(result)
        self._by_people.add(sample, result, judgement)
        self._flips.add(judgement.replies)
        for reply in judgement.replies if self._failure is None else ():
            if isinstance(reply, JudgeFailure) and reply.reason in ERROR:
                self._failure = f"{reply.reason}: {reply.detail[:_SHOWN]}"
        saved = self._plan.judges.calls_saved(judgement.replies)
        if saved is not None:
            self._calls_saved = saved + (self._calls_saved or 0)

    def _forget_trained(self, sample: Sample) -> None:
        """Labels on which the judge was calibrated say nothing of it."""
        checks = trained_checks(sample, self._plan.judges.trained_on)
        dropped = self._agreement.forget(sample.query_id, checks) if checks else None
        if dropped:
            self._trained += dropped
            self._by_people.forget(sample.query_id, checks)

    def report(self, warnings: Sequence[str]) -> dict[str, Any]:
        """The report, with the judge's agreement with people where labels were given."""
        told = (trained_warning(self._trained),) if self._trained else ()
        report = self._summary.report(warnings=(*warnings, *told))
        report["ann"] = self._plan.ann
        if self._calls_saved is not None:
            report["judge"]["calls_saved"] = self._calls_saved
        flips = self._flips.report()
        if flips is not None:
            report["judge"]["flips"] = flips
        if self._failure is not None:
            report["judge"]["failure"] = self._failure
        if self._plan.judges.stopped is not None:
            report["judge"]["stopped"] = self._plan.judges.stopped
        found = self._agreement.report()
        if found:
            report["agreement"] = found
        of_people = self._agreement.validated()
        if of_people:
            report["judge"]["validated"] = of_people
        put_into(report, self._by_people.corrections)
        return report
