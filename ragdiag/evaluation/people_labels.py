"""The labels of people that stand, each as likely drawn as the queue beside them now says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ragdiag.data.labels import read_labels
from ragdiag.errors import RagdiagError
from ragdiag.evaluation.manifest import Manifest
from ragdiag.judging.grammar import Leaf, Node, parse
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


def labels_by_query(manifest: Manifest) -> tuple[dict[str, list[Label]], str]:
    """What people say of each query of an evaluation, as its label files hold it now: those of
    `--labels`, and those that its judge names. Beside it, which files cannot be read and why; ""
    where all can."""
    found: dict[str, list[Label]] = {}
    unread: list[str] = []
    for name in dict.fromkeys(
        (*manifest.inputs.get("labels", ()), *_files(parse(manifest.judge_spec)))
    ):
        try:
            labels = standing_labels([Path(name)])
        except (RagdiagError, OSError) as fault:
            unread.append(str(fault))
            continue
        for label in labels:
            found.setdefault(label.query_id, []).append(label)
    return found, "; ".join(unread)


def _files(node: Node) -> Iterator[str]:
    """The files of people's labels that a judge is made of."""
    if not isinstance(node, Leaf):
        for member in node.members:
            yield from _files(member)
    elif node.kind == "file":
        yield node.rest
