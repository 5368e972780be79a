"""BEIR folders: corpus.jsonl, queries.jsonl and qrels/<split>.tsv."""

from __future__ import annotations

from pathlib import Path

from ragdiag.data.content import open_content
from ragdiag.data.delimited import read_delimited
from ragdiag.data.raw_table import Kind, RawTable, fault

_PREFERRED = "test"
_ENDINGS = (".tsv", ".tsv.gz", ".tsv.zst")


def read_folder_qrels(folder: Path, kind: Kind) -> RawTable:
    """The labels of a BEIR folder: its only split, else `test`, with a warning naming the others.

    Raises:
        DataError: no qrels in the folder, several splits without `test`, or a run was asked for.
    """
    if kind == "run":
        raise fault(folder, "wrong_kind", "this is a folder; expected a run file (BEIR has none)")
    where = folder / "qrels" if (folder / "qrels").is_dir() else folder
    splits = {
        path.name.removesuffix(ending): path
        for ending in _ENDINGS
        for path in sorted(where.glob(f"*{ending}"))
    }
    if not splits:
        seen = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) or "nothing"
        message = f"the folder holds {seen}; expected a BEIR folder with qrels/<split>.tsv"
        raise fault(folder, "missing_file", message)
    if len(splits) > 1 and _PREFERRED not in splits:
        message = f"qrels of several splits ({', '.join(sorted(splits))}); name one of these files"
        raise fault(folder, "several_splits", message)
    split = _PREFERRED if _PREFERRED in splits else next(iter(splits))
    content = open_content(splits[split])
    if content.format != "table":
        raise fault(content.path, "wrong_format", "expected a TSV table with a header line")
    raw = read_delimited(content, kind)
    raw.format = f"BEIR folder, split {split}"
    if len(splits) > 1:
        others = ", ".join(sorted(set(splits) - {split}))
        message = f"the split {split!r} is read; also there: {others} (name the file to read one)"
        raw.warnings.append(raw.problem(None, "", "one_split", message))
    return raw
