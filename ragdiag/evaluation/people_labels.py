"""The labels of people that stand, each as likely drawn as the queue beside them now says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ragdiag.data.labels import read_labels
from ragdiag.records import Label
from ragdiag.review.queue_file import QUEUE, with_probabilities


def standing_labels(files: Sequence[Path]) -> list[Label]:
    """The labels of files, of a log of `ragdiag review` those that stand; see `as_drawn`.

    Raises:
        DataError: broken labels, or a broken queue beside them.
    """
    return as_drawn(read_labels(files), files)


def as_drawn(labels: Iterable[Label], files: Iterable[Path]) -> list[Label]:
    """Labels with the inclusion probabilities of the queues that lie beside their files: an audit
    that was made larger since a label was given has changed how likely its item was drawn."""
    found = list(labels)
    for queue in dict.fromkeys(path.with_name(QUEUE) for path in files):
        found = with_probabilities(found, queue)
    return found
