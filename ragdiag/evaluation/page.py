"""Writes report.html of an evaluation directory, from report.json, results, samples, verdicts."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragdiag.evaluation import directory as at
from ragdiag.evaluation.again import again_record
from ragdiag.evaluation.exchanges import reading_exchanges
from ragdiag.evaluation.manifest import manifest_of
from ragdiag.evaluation.page_blocks import MOST_PAGE, Blocks
from ragdiag.evaluation.people_labels import labels_by_query
from ragdiag.evaluation.verdict_places import VerdictPlaces
from ragdiag.records import Label, Sample, SampleResult
from ragdiag.report.page import render_page
from ragdiag.report.page_case import case_record
from ragdiag.report.page_index import PageIndex, listed_metrics
from ragdiag.report.web_page import packed


def write_page(directory: Path, *, most: int = MOST_PAGE) -> None:
    """Renders and writes the page, and the folder of shards where with its details it would have
    more than `most` bytes.

    Samples and results are read once, one by one: memory holds the columns of the list, and no
    more case records than one page may.
    """
    report = at.read_report(directory)
    manifest = manifest_of(directory)
    people, unread = labels_by_query(manifest)
    run = {**again_record(manifest), "unread": unread}
    index = PageIndex(listed_metrics(report))
    with Blocks(directory, most=most) as blocks:
        for sample, result, record in _records(directory, people):
            index.add(sample, result)
            blocks.add(json.dumps(record, ensure_ascii=False, allow_nan=False).encode())
        rest = len(render_page(report, packed(index.to_bytes(report, run=run))).encode())
        held = blocks.close(rest)  # the names of shards come on top: some tens of bytes each
        told = index.to_bytes(report, run=run, blocks=blocks.starts, shards=blocks.shards)
        page = render_page(report, packed(told), held, shards=bool(blocks.shards))
        blocks.commit()
        at.write_atomically(directory / at.PAGE, page)


def records(directory: Path, *, only: Container[str]) -> Iterator[dict[str, Any]]:
    """The records of these queries, one at a time, in input order."""
    people, _ = labels_by_query(manifest_of(directory))
    return (record for _, _, record in _records(directory, people, only=only))


def _records(
    directory: Path,
    people: Mapping[str, Sequence[Label]],
    *,
    only: Container[str] | None = None,
) -> Iterator[tuple[Sample, SampleResult, dict[str, Any]]]:
    """Each query with its record, one at a time; only: of these."""
    with (
        VerdictPlaces(directory / at.VERDICTS) as verdicts,
        reading_exchanges(directory) as exchanges_of,
    ):
        for sample, result in at.read_pairs(directory):
            if only is not None and sample.query_id not in only:
                continue
            said = verdicts.of(sample.query_id)
            record = case_record(
                sample,
                result,
                verdicts=said,
                exchanges=exchanges_of(sample, said),
                people=people.get(sample.query_id, ()),
            )
            yield sample, result, record
