"""One judge asked several times: how often does it say something else?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ragdiag.judging.protocol import Answer, Judge
from ragdiag.records import ERROR, UNSCORED, Question, Reply, Verdict, Vote
from ragdiag.stats.intervals import wilson

_REPEAT = re.compile(r"(.*)#[0-9]+", re.DOTALL)


class Repeat:
    """A judge that stands in a jury more than once, by its number there: "llm:m#2".

    Each repeat has cache entries of its own, so that no two are served from one reply.
    """

    def __init__(self, judge: Judge, number: int) -> None:
        self._judge = judge
        self.name = f"{judge.name}#{number}"

    @property
    def version(self) -> str:
        """That of the judge: the repeats differ in nothing but their number."""
        return self._judge.version

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """What the judge says this time."""
        return await self._judge.ask(questions)


class Flips:
    """Counts the questions on which repeats of one judge disagree, of what was said alone.

    A question is an item: a claim, a passage, a component, or a label of the whole. It counts where
    two repeats or more gave a label, and flipped where not all of these are equal.
    """

    def __init__(self) -> None:
        self._n = 0
        self._flipped = 0
        self._n_queries = 0

    def add(self, replies: Iterable[Reply]) -> None:
        """The replies to the questions of one query."""
        n = self._n
        for reply in replies:
            if isinstance(reply, Verdict):
                self._count(reply.votes)
                for finding in reply.findings:
                    self._count(finding.votes)
        self._n_queries += self._n > n

    def _count(self, votes: tuple[Vote, ...]) -> None:
        by_judge: dict[str, list[str]] = defaultdict(list)
        for who, said in votes:
            repeat = _REPEAT.fullmatch(who)
            if repeat is not None and said not in UNSCORED and said not in ERROR:
                by_judge[repeat[1]].append(said)
        for labels in by_judge.values():
            if len(labels) > 1:
                self._n += 1
                self._flipped += len(set(labels)) > 1

    def report(self) -> dict[str, Any] | None:
        """n_questions, n_flipped, share and its 95% interval; None where nothing was repeated.

        Questions on one query are not independent: the interval (Wilson) counts queries.
        """
        if not self._n:
            return None
        share = self._flipped / self._n
        low, high = wilson(share * self._n_queries, self._n_queries)
        return {
            "n_questions": self._n,
            "n_flipped": self._flipped,
            "share": share,
            "ci_low": low,
            "ci_high": high,
            "n_queries": self._n_queries,
        }
