"""`ragdiag calibrate`: the screen fitted on the user's own labels, with honest figures."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragdiag.data.labels import read_labels
from ragdiag.data.native import read_samples
from ragdiag.errors import DataError, UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.calibration_figures import BETTER, figures, measured_row
from ragdiag.evaluation.calibration_rows import MODELS, SAME_ANSWER, Counts, RowsOfLabels, Votes
from ragdiag.evaluation.groups import Groups
from ragdiag.evaluation.splitting import keys_of
from ragdiag.judging.screen.calibration import Calibrated, calibrate
from ragdiag.judging.screen.model import Logistic, ScreenModel, load_model, read_model
from ragdiag.pipeline import sample_hash
from ragdiag.records import LABELS, Label, Sample, Settings
from ragdiag.report.numbers import counted
from ragdiag.text.clusters import trained_keys

FEWEST_A_FOLD = 2


@dataclass(frozen=True)
class Ask:
    """How to calibrate.

    checks     of people; None: all that have enough labels.
    precision  wanted of each label among the decided, over 0.5 to 1.
    folds      of the cross-validation, 2 or more; in each of them, as many again.
    by         what joins questions: "document" (of the gold), "query" (nothing but the same text
               or conversation), names of slices.
    """

    checks: tuple[str, ...] | None = None
    precision: float = 0.9
    folds: int = 5
    by: tuple[str, ...] = ("document",)

    @property
    def fewest(self) -> int:
        """Labels of the rarer kind that are needed, on as many questions as there are folds."""
        return FEWEST_A_FOLD * self.folds

    def checked(self) -> Ask:
        """Itself; UsageError for what cannot be asked."""
        if not 0.5 < self.precision <= 1:
            raise UsageError(f"--precision lies over 0.5, up to 1 (0.9); came {self.precision:g}")
        if not 2 <= self.folds <= 20:
            raise UsageError(f"--folds lies between 2 and 20 (5); came {self.folds}")
        unknown = [check for check in self.checks or () if check not in MODELS]
        if unknown:
            raise UsageError(
                f"--check {', '.join(unknown)}: the screen does not answer it; it answers "
                f"{', '.join(MODELS)}"
            )
        return self


@dataclass
class _Read:
    """What is kept of the samples."""

    groups: Groups = field(default_factory=Groups)
    number: dict[str, int] = field(default_factory=dict[str, int])
    trained: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    hashes: list[str] = field(default_factory=list[str])

    def by_query(self) -> dict[str, int]:
        """The group of each query, numbered by the queries' ids, whatever came first."""
        of = {n: group for group, some in self.groups.members().items() for n in some}
        numbers: dict[int, int] = {}
        ordered = sorted(self.number)
        for query_id in ordered:
            numbers.setdefault(of[self.number[query_id]], len(numbers))
        return {query_id: numbers[of[self.number[query_id]]] for query_id in ordered}


def calibrate_files(
    source: Sequence[Path], labels: Sequence[Path], out: Path, ask: Ask
) -> dict[str, Any]:
    """Writes the model to `out` and returns it, as it stands in the file.

    source  sample files, or one evaluation directory.

    Raises:
        UsageError: settings that cannot work, or too few labels for a check that was asked for, or
            for all of them; `out` is another kind of file.
        DataError: broken samples or labels, labels of queries that are not among the samples.
    """
    ask.checked()
    _check_place(out)
    given = read_labels(list(labels))
    votes = Votes.of(given, ask.checks or MODELS)
    _check_answerable(given, ask)
    rows, read = _read(_samples(source), votes, given, ask)
    groups = read.by_query()
    counts = {check: rows.counts(check, groups) for check in ask.checks or MODELS}
    short = {check: why for check, one in counts.items() if (why := _too_few(check, one, ask))}
    usable = [check for check in counts if check not in short]
    labelled = {check: why for check, why in short.items() if sum(counts[check].n)}
    if not usable or (ask.checks and short):
        raise _refusal(labelled or short, ask)
    shipped = load_model()
    fitted = {
        model: calibrate(
            rows.rows([c for c in usable if MODELS[c] == model], shipped[model].features, groups),
            shipped[model],
            precision=ask.precision,
            n_folds=ask.folds,
        )
        for model in dict.fromkeys(MODELS[check] for check in usable)
    }
    found = _file(shipped, fitted, usable, ask)
    found["calibration"] |= {
        "labels": {"hash": _hash(labels), "n": _n_labels(given, usable)},
        "samples": {"hash": _hash_of(read.hashes), "n": len(read.hashes)},
        "left_out": {check: dict(+votes.left_out[check]) for check in usable},
        "kept_shipped": {c: why for c, why in short.items() if MODELS[c] not in fitted},
        "not_measured": {c: why for c, why in short.items() if MODELS[c] in fitted},
        "trained_on": _trained_on(rows, usable, read),
    }
    at.write_atomically(out, at.to_json(found))
    return found


def _check_place(out: Path) -> None:
    """UsageError where `out` is there and no model of a screen."""
    if not out.exists():
        return
    try:
        read_model(out.read_text(encoding="utf-8"), where=str(out))
    except (DataError, OSError, UnicodeDecodeError) as fault:
        raise UsageError(
            f"-o {out}: is there already and is no model of the screen; name another file"
        ) from fault


def _check_answerable(given: Sequence[Label], ask: Ask) -> None:
    told = Counter(one.check for one in given)
    if ask.checks is None and not any(check in MODELS for check in told):
        raise UsageError(
            f"the labels are of {', '.join(sorted(told))}, which the screen does not answer; it "
            f"answers {', '.join(MODELS)}"
        )


def _samples(source: Sequence[Path]) -> Iterator[Sample]:
    if len(source) == 1 and source[0].is_dir() and (source[0] / at.MANIFEST).exists():
        return at.read_samples_copy(source[0])
    return read_samples(list(source))


def _read(
    samples: Iterable[Sample], votes: Votes, given: Sequence[Label], ask: Ask
) -> tuple[RowsOfLabels, _Read]:
    rows, read = RowsOfLabels(votes, Settings()), _Read()
    wanted = votes.queries
    known: set[str] = set()
    for sample in samples:
        known.add(sample.query_id)
        number = read.groups.add(keys_of(sample, ask.by))
        if sample.query_id in wanted:
            read.number[sample.query_id] = number
            read.trained[sample.query_id] = trained_keys(sample)
            read.hashes.append(sample_hash(sample))
            rows.add(sample)
    unknown = sorted({one.query_id for one in given} - known)
    if unknown:
        raise DataError(
            f"labels of {len(unknown)} queries that are not among the samples (the first: "
            f"{unknown[0]!r}); give the samples that were labelled"
        )
    return rows, read


def _too_few(check: str, counts: Counts, ask: Ask) -> str | None:
    """Why a check cannot be calibrated, in words; None where it can."""
    if not sum(counts.n):
        return "no labels"
    first = LABELS[check][0]
    names = (f"not {first}", first)
    for name, n in zip(names, counts.n, strict=True):
        if not n:
            return f"its {sum(counts.n)} labels are all one kind, none is {name!r}"
    rarer = min((0, 1), key=lambda kind: (counts.questions[kind], counts.n[kind]))
    if counts.n[rarer] >= ask.fewest and counts.questions[rarer] >= ask.folds:
        return None
    questions = counted(counts.questions[rarer], "question")
    return f"{counts.n[rarer]} labels are {names[rarer]!r}, on {questions}"


def _refusal(short: Mapping[str, str], ask: Ask) -> UsageError:
    """Says what is needed, and what there is of each check."""
    joined = "" if ask.by == ("query",) else f" that share nothing by {', '.join(ask.by)}"
    hint = "" if ask.by == ("query",) else "; --by query joins none but the same query"
    told = "; ".join(f"{check}: {why}" for check, why in short.items())
    return UsageError(
        f"too few labels: {ask.fewest} of the rarer kind are needed, on {ask.folds} questions or "
        f"more{joined} ({told}){hint}"
    )


def _file(
    shipped: ScreenModel, fitted: Mapping[str, Calibrated], usable: Sequence[str], ask: Ask
) -> dict[str, Any]:
    from ragdiag.evaluation.files import own_version  # noqa: PLC0415 - it reads this package's side

    measured = {
        name: dict(row) for name, row in shipped.measured.items() if _model_of(name) not in fitted
    }
    checks: dict[str, Any] = {}
    for check in usable:
        one = fitted[MODELS[check]]
        told = figures(one.measured.of(check), precision=ask.precision)
        key = "citation_support" if check == "citation_support" else MODELS[check]
        measured[f"{key}:{check} calibrated"] = measured_row(told)
        checks[check] = {
            "model": MODELS[check],
            "method": str(one.choice.way),
            "chosen_in_folds": one.chosen,
            "log_loss_less_than_shipped": one.choice.gains,
            **told,
        }
    n_better = [check for check, row in checks.items() if row["verdict"] == BETTER]
    return {
        "provenance": (
            f"calibrated by `ragdiag calibrate` {own_version()} on people's labels of "
            f"{', '.join(usable)}; {', '.join(n_better) or 'none'} better than the shipped model. "
            "Measured by nested cross-validation: how to fit and the band were chosen without the "
            "questions that they were measured on."
        ),
        "models": {
            name: _as_json(fitted[name].model if name in fitted else shipped[name])
            for name in shipped.models
        },
        "measured": measured,
        "calibration": {
            "ragdiag": own_version(),
            "base": shipped.digest,
            "precision": ask.precision,
            "folds": ask.folds,
            "by": list(ask.by),
            "checks": checks,
        },
    }


def _model_of(name: str) -> str:
    """The model that a row of `measured` is of."""
    known = name.partition(":")[0]
    return MODELS.get(known, known)


def _as_json(model: Logistic) -> dict[str, Any]:
    pairs = zip(model.features, model.coefficients, strict=True)
    return {
        "low": model.low,
        "high": model.high,
        "intercept": model.intercept,
        "coefficients": dict(pairs),
    }


def _n_labels(given: Sequence[Label], usable: Sequence[str]) -> dict[str, dict[str, int]]:
    return {
        check: dict(sorted(Counter(one.label for one in given if one.check == check).items()))
        for check in usable
    }


def _trained_on(rows: RowsOfLabels, usable: Sequence[str], read: _Read) -> dict[str, list[str]]:
    """By check of people: the keys of the queries whose labels told of it."""
    found: dict[str, set[str]] = {}
    for check in usable:
        keys = {key for query in rows.queries(check) for key in read.trained[query]}
        for told in SAME_ANSWER if check in SAME_ANSWER else (check,):
            found.setdefault(told, set()).update(keys)
    return {check: sorted(keys) for check, keys in sorted(found.items())}


def _hash(files: Sequence[Path]) -> str:
    told = hashlib.sha256()
    for path in files:
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


def _hash_of(hashes: Sequence[str]) -> str:
    """Of samples in any order."""
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()[:16]
