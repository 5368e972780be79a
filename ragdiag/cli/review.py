"""`ragdiag review`: the page on which people label, served on loopback or as one file."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragdiag.cli.options import evaluation_directory
from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.review.board import Board


def review(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="An evaluation directory.")],
    *,
    queue: Annotated[
        Path | None, typer.Option(help="What to label [default: DIR/queue.jsonl]")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="Your name, kept with each label [default: the user's]")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    static: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.html", help="Write the page as one file for someone else, and end."
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="OUT.jsonl", help="Write every label that stands once, and end."),
    ] = None,
    imported: Annotated[
        list[Path] | None,
        typer.Option(
            "--import", metavar="FILE", help="Merge labels downloaded from static pages; repeat."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
) -> None:
    """Label the queue of `ragdiag sample` by hand: blind first, then compared with the judge."""
    from ragdiag.evaluation.reviewing import (  # noqa: PLC0415 - keeps --help fast
        export_labels,
        import_labels,
        read_board,
        write_static,
    )

    directory = evaluation_directory(directory)
    name = _annotator(annotator)
    ends = static is not None or export is not None or bool(imported)
    board = None if ends and not (static or imported) else read_board(directory, queue)
    if imported and board is not None:
        n_added, n_known, complaints = import_labels(board, imported)
        for complaint in complaints:
            print(f"warning: {complaint}", file=sys.stderr)
        print(f"{n_added} labels added, {n_known} were there, {len(complaints)} left out")
    if static is not None and board is not None:
        write_static(board, static, annotator or "")
        print(f"{static}: {len(board.items)} items; merge its download with --import")
    if export is not None:
        print(f"{export}: {export_labels(directory, export)} labels")
    if not ends and board is not None:
        _serve(board, name, port=port, open_browser=browser)


def _annotator(given: str | None) -> str:
    from ragdiag.review.board import annotator_option  # noqa: PLC0415 - keeps --help fast

    if given is not None:
        return annotator_option(given)
    try:
        return annotator_option(getpass.getuser())
    except (OSError, KeyError, ImportError):  # a container without a user's name
        raise UsageError("who is labelling? name yourself with --annotator NAME") from None


def _serve(board: Board, annotator: str, *, port: int, open_browser: bool) -> None:
    import secrets  # noqa: PLC0415 - needed here only
    import threading  # noqa: PLC0415
    import webbrowser  # noqa: PLC0415

    from ragdiag.review.server import serve  # noqa: PLC0415

    state = board.overview(annotator)["items"]
    n_open = sum(row["state"] in ("open", "skipped") for row in state)
    n_refused = sum(row["state"] == "refused" for row in state)
    if n_refused:
        print(f"warning: {n_refused} items are refused: their samples are not what was queued; "
              "draw the queue again with `ragdiag sample`", file=sys.stderr)  # fmt: skip
    for problem in board.problems():
        print(f"warning: {problem}; left out", file=sys.stderr)

    def ready(address: str) -> None:
        print(f"{annotator}: {n_open} of {len(state)} items to label, into {board.log.path}")
        print(f"open {address}", flush=True)
        print("Ctrl-C ends it; every label is saved as it is given", flush=True)
        if open_browser:
            # a browser of the terminal returns only when it is closed
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve(board, annotator=annotator, token=secrets.token_urlsafe(32), port=port, ready=ready)
