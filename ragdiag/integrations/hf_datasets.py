"""Datasets of Hugging Face in and out: a hub name, a folder or an object -> samples, streamed in
batches; results -> a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from ragdiag.data.native import samples_from
from ragdiag.data.samples import FIELDS
from ragdiag.errors import MissingExtraError, UsageError
from ragdiag.records import Sample, SampleResult
from ragdiag.report import frames

_BATCH = 1000  # iterating row by row is an order slower
_LONG_ID = 40
_LISTS = frozenset(("retrieved", "context"))


def import_datasets() -> Any:
    """The package; MissingExtraError where it is not installed."""
    try:
        return import_module("datasets")
    except ImportError:
        raise MissingExtraError("datasets", "datasets") from None


def read_dataset(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    split: str | None = None,
    name: str | None = None,
    streaming: bool = True,
) -> Iterator[Sample]:
    """Samples of a dataset, in its order; nothing is held but one batch of 1,000 rows.

    source   a name on the hub, a folder that `save_to_disk` or a clone made, or a dataset object.
    columns  field of a sample -> column, dots for what lies inside: {"query": "question",
             "reference": "answers.text"}. Where not given, columns have the fields' names.
    split    needed where the dataset has several; `name` is its configuration.
    Without a column for query_id, rows are numbered from 1.

    Raises:
        UsageError: no such column or field, no such split, or several and none named.
        DataError: a row that is no sample, named by its number.
    """
    dataset = _opened(source, name, split, streaming=streaming)
    return samples_from(_rows(dataset, dict(columns or {})), name=_shown(source))


def results_dataset(results: Iterable[SampleResult], *, long: bool = False) -> Any:
    """The results as a `datasets.Dataset`: a row a query, or with `long` a row a score."""
    frame = (frames.long if long else frames.wide)(results)
    return import_datasets().Dataset.from_dict(frame.to_dict(as_series=False))


def _shown(source: Any) -> str:
    return str(source) if isinstance(source, (str, Path)) else type(source).__name__


def _opened(source: Any, name: str | None, split: str | None, *, streaming: bool) -> Any:
    if isinstance(source, (str, Path)):
        datasets = import_datasets()
        place = Path(source)
        saved = any((place / mark).exists() for mark in ("state.json", "dataset_dict.json"))
        if saved:
            source = datasets.load_from_disk(str(place))
        else:
            try:
                source = datasets.load_dataset(str(source), name, streaming=streaming)
            except (OSError, ValueError) as fault:  # no such folder, name, configuration
                said = " ".join(str(fault).split())[:300]
                raise UsageError(f"the dataset {str(source)!r} cannot be opened: {said}") from fault
    if not isinstance(source, Mapping) and not hasattr(source, "iter"):
        raise UsageError(
            f"a dataset, its name on the hub or its folder is needed; came {type(source).__name__}"
        )
    if isinstance(source, Mapping):  # a DatasetDict
        splits = cast("Mapping[str, Any]", source)
        if split is None and len(splits) == 1:
            return next(iter(splits.values()))
        if split is None or split not in splits:
            asked = "none is named" if split is None else f"{split!r} is not one of them"
            raise UsageError(f"the dataset has the splits {', '.join(splits)}: {asked}")
        return splits[split]
    return source


def _rows(dataset: Any, columns: dict[str, str]) -> Iterator[dict[str, Any]]:
    unknown = [field for field in columns if field not in FIELDS]
    if unknown:
        raise UsageError(f"a sample has no field {unknown[0]!r}; it has {', '.join(FIELDS)}")
    names: Sequence[str] | None = getattr(dataset, "column_names", None)
    if names is not None:
        _require_columns(columns, names)
    number = 0
    for batch in dataset.iter(batch_size=_BATCH):
        given = cast("Mapping[str, Sequence[Any]]", batch)
        if number == 0 and names is None:
            _require_columns(columns, list(given))
        mapping = columns or {field: field for field in FIELDS if field in given}
        read = {field: path.split(".") for field, path in mapping.items()}
        length = len(next(iter(given.values()), ()))
        for place in range(length):
            number += 1
            row = {field: _inside(given, path, place) for field, path in read.items()}
            found = {field: _as_field(field, value) for field, value in row.items()}
            _refuse_texts(found, mapping, number)
            yield {"query_id": number, **{k: v for k, v in found.items() if v is not None}}


def _require_columns(columns: Mapping[str, str], names: Sequence[str]) -> None:
    lacking = [path for path in columns.values() if path.split(".")[0] not in names]
    if lacking:
        raise UsageError(f"the dataset has no column {lacking[0]!r}; it has {', '.join(names)}")
    if not columns and "query" not in names:
        raise UsageError(
            f"the dataset has no column 'query'; it has {', '.join(names)}: say which stands for "
            'what (columns={"query": "question"}, or --map query=question)'
        )


def _inside(batch: Mapping[str, Sequence[Any]], path: Sequence[str], place: int) -> Any:
    value: Any = batch[path[0]][place]
    for part in path[1:]:
        if isinstance(value, list):
            value = [_of(one, part) for one in cast("list[Any]", value)]
        else:
            value = _of(value, part)
    return value


def _of(value: Any, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


def _refuse_texts(found: Mapping[str, Any], columns: Mapping[str, str], number: int) -> None:
    """A bare text in a list of passages would be read as an id."""
    for name in _LISTS.intersection(found):
        value = found[name]
        for one in cast("list[Any]", value) if isinstance(value, list) else ():
            if isinstance(one, str) and len(one) > _LONG_ID and " " in one.strip():
                raise UsageError(
                    f"column {columns[name]!r}, row {number}: {one[:_LONG_ID]!r}… looks like a "
                    f'text, not an id: {name} takes ids or {{"passage_id": …, "text": …}} '
                    "(dataset.map makes them; `ragdiag convert` reads ragas's own columns)"
                )


def _as_field(field: str, value: Any) -> Any:
    """A struct of lists, as older datasets keep them, as the list of structs that it stands for."""
    if field not in _LISTS or not isinstance(value, Mapping):
        return value
    columns = cast("Mapping[str, Sequence[Any]]", value)
    length = max((len(column) for column in columns.values()), default=0)
    return [
        {key: column[place] for key, column in columns.items() if place < len(column)}
        for place in range(length)
    ]
