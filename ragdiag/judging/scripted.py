"""The tests' judge: says what it is told, and complains about anything else."""

from __future__ import annotations

from collections.abc import Mapping

from ragdiag.errors import UsageError
from ragdiag.judging.protocol import Answer
from ragdiag.records import Question, Reply, Usage, Verdict


class ScriptedJudge:
    """Replies by (query_id, check). A question without a reply raises; so does an unused reply.

    Questions that code decided get an undecided verdict and use up nothing, as with every judge
    that is not people's labels.
    """

    version = "scripted"

    def __init__(
        self,
        replies: Mapping[tuple[str, str], Reply],
        *,
        name: str = "scripted",
        usage: Usage | None = None,
    ) -> None:
        for (query_id, check), reply in replies.items():
            if (reply.query_id, reply.check) != (query_id, check):
                raise UsageError(
                    f"the reply under ({query_id!r}, {check!r}) says that it answers "
                    f"({reply.query_id!r}, {reply.check!r})"
                )
        self.name = name
        self.asked: list[Question] = []
        self._replies = dict(replies)
        self._used: set[tuple[str, str]] = set()
        self._usage = usage or Usage()

    async def ask(self, questions: tuple[Question, ...]) -> Answer:
        """The scripted replies; UsageError names the question that has none."""
        return Answer(tuple(self._reply(question) for question in questions), self._usage)

    def _reply(self, question: Question) -> Reply:
        if question.decided:
            return undecided(question, self.name)
        self.asked.append(question)
        key = (question.query_id, question.check)
        if key not in self._replies:
            raise UsageError(f"no scripted reply for {key}")
        self._used.add(key)
        return self._replies[key]

    def assert_all_used(self) -> None:
        """AssertionError naming the replies that nobody asked for."""
        unused = sorted(self._replies.keys() - self._used)
        if unused:
            raise AssertionError(f"scripted replies that were never asked for: {unused}")


def undecided(question: Question, judge: str) -> Verdict:
    """What a judge says to a question that it leaves to others."""
    return Verdict(
        query_id=question.query_id, check=question.check, unscored="undecided", judge=judge
    )
