"""Charts of an evaluation directory or a comparison: what is read, and which files are written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation.directory import REPORT, read_json, read_report
from ragdiag.report import numbers
from ragdiag.report.charts import CHARTS, Chart
from ragdiag.report.charts.frame import UndrawableError
from ragdiag.report.charts.look import Look

COMPARISON = "compare.json"
FOLDER = "charts"

Format = Literal["svg", "png"]
_FORMATS: tuple[Format, ...] = ("svg", "png")
_MOST_SHOWN = 20
_OTHER_FORMATS = frozenset(("pdf", "jpg", "jpeg", "gif", "webp", "eps", "html", "json"))
_COMPARISON_KEYS = ("runs", "baseline", "n_shared", "pairs")


@dataclass(frozen=True, slots=True)
class Plotted:
    """The files written, by chart; the charts that could not be drawn, and why."""

    files: dict[str, Path]
    left_out: dict[str, str]
    warnings: tuple[str, ...]


def plot(
    source: Path,
    *,
    output: Path | None = None,
    names: Sequence[str] = (),
    look: Look = Look(),  # noqa: B008 - frozen
    form: Format | None = None,
    scale: float = 2.0,
) -> Plotted:
    """Draws the named charts, or all that the input can give, which then tells what it cannot.

    `source` is an evaluation directory, its report.json, or a compare.json; `output` a file
    (its suffix is the format) for one chart, else a folder; by default `charts` in the directory.
    UsageError where a named chart cannot be drawn, or none can.
    """
    from ragdiag.report.charts import draw  # noqa: PLC0415 - keeps what only reads light

    draw.require()
    inputs = _inputs(source)
    charts = _asked(names, inputs, look)
    single, form = _target(output, charts, form, named=bool(names))
    specs: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for chart in charts:
        try:
            specs[chart.name] = chart.spec(inputs[chart.of], look)
        except UndrawableError as fault:
            if names:
                raise UsageError(f"the chart {chart.name} cannot be drawn: {fault}") from None
            left_out[chart.name] = str(fault)
        except KeyError as fault:
            raise DataError(
                f"{source} lacks {fault}, which the chart {chart.name} needs: it is of an older "
                "ragdiag, or not its own; `ragdiag rescore DIR` (or compare) makes it anew"
            ) from fault
    if not specs:
        told = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise UsageError(f"{source}: no chart can be drawn ({told})")
    folder = output if output is not None else _beside(source) / FOLDER
    files: dict[str, Path] = {}
    unknown: set[str] = set()
    for name, spec in specs.items():
        svg = draw.to_svg(spec)
        files[name] = single if single is not None else folder / f"{name}.{form}"
        if form == "svg":
            _write(files[name], svg.encode())
        else:
            unknown |= draw.without_glyph(svg)
            _write(files[name], draw.to_png(svg, scale=scale))
    return Plotted(files, left_out, tuple(_no_glyphs(unknown)))


def _inputs(source: Path) -> dict[str, dict[str, Any]]:
    """The report, the comparison, or both, by what they are."""
    if source.name == REPORT:
        return {"report": read_report(source.parent)}
    if source.is_dir() or source.suffix != ".json":
        inputs: dict[str, dict[str, Any]] = {}
        if (source / COMPARISON).exists():
            inputs["comparison"] = _comparison(source / COMPARISON)
        if not inputs or (source / REPORT).exists():
            inputs["report"] = read_report(source)
        return inputs
    return {"comparison": _comparison(source)}


def _comparison(path: Path) -> dict[str, Any]:
    """compare.json; DataError where it is none of this version of ragdiag."""
    found = read_json(path)
    absent = [key for key in _COMPARISON_KEYS if key not in found]
    if len(absent) == len(_COMPARISON_KEYS):
        raise DataError(
            f"{path} is neither an evaluation directory, nor its {REPORT}, nor a {COMPARISON} "
            "of `ragdiag compare`"
        )
    if absent or found.get("schema_version") != 1:
        what = f"lacks {', '.join(absent)}" if absent else "is of another schema_version than 1"
        raise DataError(f"{path} {what}; compare again")
    return found


def _asked(
    names: Sequence[str], inputs: Mapping[str, Mapping[str, Any]], look: Look
) -> list[Chart]:
    """The charts to draw; UsageError for a name or an option that fits none of them."""
    known = {chart.name: chart for chart in CHARTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"--chart takes {', '.join(known)}; came {', '.join(map(repr, unknown))}")
    charts = [known[name] for name in dict.fromkeys(names)]
    for chart in charts:
        if chart.of not in inputs:
            needed = COMPARISON if chart.of == "comparison" else REPORT
            raise UsageError(f"the chart {chart.name} is drawn from a {needed}")
    charts = charts or [chart for chart in CHARTS if chart.of in inputs]
    for option, given, takers in (
        ("--metric", look.metric, [chart.name for chart in CHARTS if chart.metric]),
        ("--slice", look.dimension, [chart.name for chart in CHARTS if chart.dimension]),
    ):
        if given is not None and (len(charts) != 1 or charts[0].name not in takers):
            raise UsageError(f"{option} needs one --chart of {', '.join(takers)}")
    return charts


def _target(
    output: Path | None, charts: Sequence[Chart], form: Format | None, *, named: bool
) -> tuple[Path | None, Format]:
    """The one file to write (None: files in a folder) and the format."""
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    if output is None or output.is_dir() or suffix not in _FORMATS:
        if output is not None and (output.is_file() or suffix in _OTHER_FORMATS):
            raise UsageError(f"-o {output} is no .svg, no .png and no folder")
        return None, form or "svg"
    if form is not None and form != suffix:
        raise UsageError(f"--format {form} and -o {output} name two formats: leave one out")
    if len(charts) != 1 or not named:
        raise UsageError(f"-o {output} is one file: name one --chart for it, or give a folder")
    return output, "png" if suffix == "png" else "svg"


def _beside(source: Path) -> Path:
    return source if source.is_dir() else source.parent


def _write(path: Path, content: bytes) -> None:
    """Beside it first, then moved into its place; the folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(content)
    os.replace(beside, path)


def _no_glyphs(characters: set[str]) -> Iterator[str]:
    if characters:
        some = "".join(sorted(characters)[:_MOST_SHOWN])
        more = "…" if len(characters) > _MOST_SHOWN else ""
        yield (
            f"no font on this machine shows {numbers.counted(len(characters), 'character')} of the "
            f"labels ({some}{more}): boxes in the PNG; an SVG takes the reader's fonts"
        )
