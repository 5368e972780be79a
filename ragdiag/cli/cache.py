"""`ragdiag cache stats|prune`: what the judge's replies on disk are, and which may go."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ragdiag.errors import UsageError

app = typer.Typer(help="The replies of LLM judges on disk.", no_args_is_help=True)

Place = Annotated[Path, typer.Argument(help="A cache file, or an evaluation directory.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


@app.command("stats")
def stats(place: Place, *, as_json: AsJson = False) -> None:
    """How many replies there are, of which models, how large and how old."""
    with _opened(place) as file:
        found = file.stats()
    if as_json:
        _print_json(found)
        return
    age = f", from {found['oldest']} to {found['newest']}" if found["replies"] else ""
    print(f"{found['path']}: {found['replies']:,} replies, {_size(found['bytes'])}{age}")
    for model, row in found["models"].items():
        tokens = [
            f"{'unknown' if row[name] is None else format(row[name], ',')} {what}"
            for name, what in (("input_tokens", "in"), ("output_tokens", "out"))
        ]
        print(f"  {model}: {row['replies']:,} replies, tokens {', '.join(tokens)}")


@app.command("prune")
def prune(
    place: Place,
    *,
    older_than: Annotated[
        float | None, typer.Option(min=0, help="Only replies older than so many days.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Only replies of this model.")] = None,
    keep_used_by: Annotated[
        list[Path] | None,
        typer.Option(help="Only what no verdict of this evaluation directory rests on; repeat it."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete; otherwise only tell.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete replies that all the given criteria tell; without --yes, only say how many."""
    from ragdiag.chat.cache_file import Which, days_ago  # noqa: PLC0415 - keeps --help fast

    if older_than is None and model is None and not keep_used_by:
        raise UsageError(
            "cache prune: say which replies: --older-than DAYS, --model NAME, --keep-used-by DIR"
        )
    which = Which(
        created_before=None if older_than is None else days_ago(older_than),
        model=model,
        unused=_used(keep_used_by) if keep_used_by else None,
    )
    with _opened(place) as file:
        found = file.prune(which, really=yes)
    if as_json:
        _print_json(found)
        return
    what = f"{found['pruned']:,} of {found['replies']:,} replies"
    if not yes:
        print(f"{found['path']}: {what} would be deleted; --yes deletes them")
        return
    sizes = f"{_size(found['bytes_before'])} before, {_size(found['bytes_after'])} now"
    print(f"{found['path']}: {what} deleted; {sizes}")


def _opened(place: Path) -> Any:
    """The cache file, closed at the end of the block; UsageError where there is none."""
    from contextlib import closing  # noqa: PLC0415 - keeps --help fast

    from ragdiag.chat.cache_file import CacheFile  # noqa: PLC0415
    from ragdiag.evaluation.directory import CACHE  # noqa: PLC0415

    return closing(CacheFile(place / CACHE if place.is_dir() else place, create=False))


def _used(directories: list[Path]) -> set[str]:
    """The keys of all replies that verdicts of these evaluations rest on."""
    from ragdiag.cli.options import evaluation_directory  # noqa: PLC0415 - keeps --help fast
    from ragdiag.evaluation.directory import VERDICTS, read_judgements  # noqa: PLC0415

    used: set[str] = set()
    for named in directories:
        path = evaluation_directory(named) / VERDICTS
        if not path.exists():  # taken for one that uses nothing, it would cost all replies
            raise UsageError(f"--keep-used-by {named}: no {VERDICTS} there; is it an evaluation?")
        for judgement in read_judgements(path).values():
            traces = (reply.trace for reply in judgement.replies if reply.trace)
            used |= {key for trace in traces for key in trace.split(",")}
    return used


def _print_json(found: dict[str, Any]) -> None:
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415 - keeps --help fast

    sys.stdout.write(to_json(found))


def _size(n_bytes: int) -> str:
    for factor, unit in _UNITS:
        if n_bytes >= factor:
            return f"{n_bytes / factor:.1f} {unit}"
    return f"{n_bytes} bytes"
