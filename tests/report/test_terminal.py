from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ragdiag.diagnosis.explain import Section
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.records import Settings
from ragdiag.report import numbers, terminal
from ragdiag.report.terminal import print_story, print_summary
from ragdiag.report.visible import lines, one_line
from tests.runs import row, rows, write

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "annual-report"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    inputs = Inputs((EXAMPLE / "samples.jsonl",), corpus=EXAMPLE / "corpus.jsonl")
    return evaluate_files(inputs, Options(), out=tmp_path_factory.mktemp("example") / "out")


def shown(
    report: dict[str, Any], capsys: pytest.CaptureFixture[str], out: Path | None = None
) -> list[str]:
    print_summary(report, directory=out)
    return capsys.readouterr().out.splitlines()


def evaluated(tmp_path: Path, lines: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    source = write(tmp_path / "s.jsonl", lines)
    return evaluate_files(Inputs((source,)), Options(Settings(**settings)), out=tmp_path / "out")


# --- one screen


def test_the_example_fits_one_screen_and_no_column_is_cut(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(example, capsys, Path("out"))
    assert len(found) <= terminal.HEIGHT
    assert max(map(len, found)) <= terminal.WIDTH
    free = ("zero recall", "worst slice", "warning", "people", "X2 ")
    cut = [line for line in found if "…" in line and not line.startswith(free)]
    assert cut == []
    assert found[-2] == "report       out/report.html"
    first = example["examples"]["G4"][0]  # of the most frequent category but for X2
    assert found[-1] == f"next         ragdiag explain {first} -d out"


def test_it_says_the_numbers_of_the_report(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(example, capsys)
    for name in ("answer_correctness", "faithfulness", "sufficiency", "provenance"):
        metric = example["metrics"][name]
        line = next(one for one in found if f" {name.replace('_', ' ')}  " in one)
        assert f" {numbers.value(metric['value'])} " in line
        assert numbers.interval(metric["ci_low"], metric["ci_high"]) in line
        assert f"{metric['n']}/{metric['n_total']}" in line
    for family, told in example["families"].items():
        if family == "pipeline":  # X1 is in no rate
            continue
        line = next((one for one in found if one.startswith(family + " ")), None)
        assert (line is None) == (told["n"] == 0)
        if line is not None:
            assert line.split()[1:3] == [str(told["n"]), numbers.share(told["share"])]
    at_5 = next(one for one in found if one.startswith("@5 ")).split()
    metrics = ("precision", "recall", "hit", "rr", "ap", "ndcg", "any_evidence")
    assert at_5[1:8] == [numbers.value(example["metrics"][f"{m}@5"]["value"]) for m in metrics]
    g4 = next(one for one in found if one.startswith("G4"))
    assert f" {example['categories']['G4']['n']} " in g4
    assert any(one.startswith(f"zero recall  {example['n_zero_recall']}: ") for one in found)


def without_gaps(line: str) -> str:
    return re.sub(" +", " ", line)


def where_it_fails(found: list[str]) -> dict[str, int]:
    """The left table: the first column and n, down to the blank line."""
    start = next(i for i, line in enumerate(found) if line.startswith("Where it fails"))
    rows = found[start + 1 : found.index("", start)]
    told = (re.match(r"(\w+(?: \w+)?) +(\d+)  ", row) for row in rows)
    return {row[1]: int(row[2]) for row in told if row is not None}


def test_the_rows_add_up_to_all_queries(
    example: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sum(where_it_fails(shown(example, capsys)).values()) == example["corpus"]["n_queries"]
    unjudged = row("open", reference=None, gold=None)
    found = shown(evaluated(tmp_path, [*rows(), unjudged]), capsys)
    told = where_it_fails(found)
    assert sum(told.values()) == 6
    assert (told["pipeline error"], told["no diagnosis"]) == (1, 2)
    assert "no diagnosis no_answer 1, no_reference 1" in map(without_gaps, found)


def test_undetermined_queries_in_a_family_are_named(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    n = example["n_diagnosed"] - sum(one["n"] for one in example["families"].values())
    x2 = {**example["categories"], "X2": {**example["categories"]["X2"], "n": n + 2}}
    line = next(
        one
        for one in shown({**example, "categories": x2}, capsys)
        if one.startswith("undetermined")
    )
    assert re.match(rf"undetermined +{n} +[0-9.]+%  \+2 in a family  ", line)


def test_categories_without_a_row_are_counted(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(example, capsys)
    failing = [
        told["n"]
        for code, told in example["categories"].items()
        if told["n"] and told["family"] != "success" and code != "X1"
    ]
    line = next(one for one in found if " more categories " in one)
    n_shown = sum(bool(re.match(r"[A-Z]\d\w? +\w", one)) for one in found)
    assert 6 <= n_shown <= 9
    rest = sum(sorted(failing, reverse=True)[n_shown:])
    assert without_gaps(line).startswith(f"{len(failing) - n_shown} more categories {rest} ")
    one_more = {
        code: {**told, "n": told["n"] if code in ("R1", "G4") else 0}
        for code, told in example["categories"].items()
    }
    few = shown({**example, "categories": one_more}, capsys)
    assert not any(" more categor" in one for one in few)


def test_levels_and_losses_have_their_lines(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(example, capsys)
    title = next(i for i, one in enumerate(found) if one.startswith("Hit at"))
    assert without_gaps(found[title]).startswith("Hit at document page passage all: document")
    at_5 = found[title + 1].split()
    hits = [example["levels"][level]["hit@5"]["value"] for level in ("document", "page", "unit")]
    assert at_5[:4] == ["@5", *map(numbers.value, hits)]
    wrong = example["wrong_page"]["5"]
    assert f" {wrong['n']} of {wrong['n_total']} " in found[title + 1]
    lost = [one for one in found if one.startswith("evidence ")]
    assert [one.split()[1:5:3] for one in lost] == [
        [row["from"], row["to"]] for row in example["loss"] if row["lost"]
    ]


def test_what_to_fix_first_stands_above_the_categories(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(example, capsys)
    at = next(i for i, one in enumerate(found) if one.startswith("Fix first (3 of 11) "))
    assert found[at].rstrip().endswith("34.3% fully right → at most")
    for told, line in zip(example["fix_first"][:3], found[at + 1 : at + 4], strict=True):
        bound = numbers.share(told["gain"]["at_most"])
        assert line.startswith(f"{told['component']} (")
        assert f" {told['n']}  " in line
        assert f" {bound} [" in line
        assert (" decided" in line) == bool(told["n_possible"])
    assert found[at + 4].startswith("Major failure categories  ")
    funnel = next(one for one in found if one.startswith("funnel 64    corpus 94% → candidates"))
    assert funnel.endswith("%")


def test_a_report_of_an_earlier_version_is_shown_without_it(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = {name: one for name, one in example.items() if not name.startswith("f")}
    found = shown({**earlier, **{n: example[n] for n in ("families", "flags", "funnel")}}, capsys)
    assert any(one.startswith("Major failure categories ") for one in found)
    assert not any(one.startswith(("Fix first", "funnel")) for one in found)


def test_what_to_try_is_said_where_there_is_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = evaluated(tmp_path, rows())
    found = shown(report, capsys)
    tried = next(one for one in found if one.startswith("to try "))
    first = report["fix_first"][0]
    assert tried.startswith(f"to try       {first['component']}: {first['next_experiment']}")
    assert any(one.startswith("Fix first  ") for one in found)


@pytest.mark.parametrize(
    ("query_id", "command"),
    [
        ("q 1|a", "ragdiag explain 'q 1|a' -d 'my out'"),
        ("-v", "ragdiag explain QUERY_ID -d 'my out'"),
        ("q" * 61, "ragdiag explain QUERY_ID -d 'my out'"),
        ("a\nb", "ragdiag explain QUERY_ID -d 'my out'"),
    ],
)
def test_the_next_command_can_be_copied(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str], query_id: str, command: str
) -> None:
    changed = {**example, "examples": {**example["examples"], "G4": [query_id]}}
    assert shown(changed, capsys, Path("my out"))[-1] == f"next         {command}"
    long = Path("d" * 200)
    assert shown(changed, capsys, long)[-1].endswith(f" -d {long}")


def test_nothing_is_named_next_where_nothing_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(evaluated(tmp_path, [row("a")]), capsys, Path("out"))
    assert found[-1] == "report       out/report.html"


def test_much_of_everything_still_fits_one_screen(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    long_ids = [{"query_id": f"{'long-' * 40}{i}", "near_miss": None} for i in range(1000)]
    agreed = {"agreement": 0.5, "ci_low": 0.4, "ci_high": 0.6, "n": 10, "n_decided": 8}
    metrics = {
        name: {**metric, "n": 9876, "n_total": 9999} for name, metric in example["metrics"].items()
    }
    many = {
        **example,
        "k": list(range(1, 30)),
        "metrics": {**{f"recall@{k}": metrics["recall@5"] for k in range(1, 30)}, **metrics},
        "families": {name: {**told, "n": 1234} for name, told in example["families"].items()},
        "n_diagnosed": 9999,
        "zero_recall": long_ids,
        "n_zero_recall": 5000,
        "latency": {f"stage {i}": {"p50": 1, "p95": 2000} for i in range(40)},
        "cost": {**example["cost"], "calls": 7, "input_tokens": None, "usd": None},
        "warnings": ["a warning " * 40] * 50,
        "agreement": {f"check {i}": agreed for i in range(10)},
        "run": {"name": "name " * 50},
        "no_code": {"no_answer": 9, "no_reference": 8},
    }
    found = shown(many, capsys, Path("out"))
    assert len(found) <= terminal.HEIGHT
    assert max(map(len, found)) <= terminal.WIDTH
    assert "9876/9999" in "\n".join(found)
    assert "5000: long-" in "\n".join(found)
    assert any(one.startswith("warning") and "1 of 50: a warning" in one for one in found)
    assert any("tokens unknown" in one for one in found)


def test_tables_that_do_not_fit_side_by_side_stand_below_each_other(
    example: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = {
        name: {**metric, "n": 123_456_789, "n_total": 123_456_789}
        for name, metric in example["metrics"].items()
    }
    found = shown({**example, "metrics": metrics}, capsys)
    assert max(map(len, found)) <= terminal.WIDTH
    assert sum("123456789/123456789" in one and "…" not in one for one in found) >= 9


def test_no_diagnosis_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = shown(evaluated(tmp_path, [row("a", answer=None)]), capsys)
    assert any(re.match(r"no diagnosis +1 +– +in no rate\b", one) for one in found)
    assert any(re.match(r"no diagnosis +no_answer 1$", one) for one in found)


def test_without_gold_there_is_no_retrieval_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(evaluated(tmp_path, [row("a", gold=None, target=None)]), capsys)
    assert not any(one.startswith("Retrieval") for one in found)


def test_cost_and_gain_are_said_where_there_are_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = evaluated(tmp_path, rows(), gain="linear")
    cost = {"calls": 3, "cached": 1, "input_tokens": 10, "output_tokens": 5, "usd": 0.25}
    found = "\n".join(shown({**report, "cost": cost}, capsys))
    assert "linear gain" in found
    assert "3 calls, 1 replies from the cache, 10 tokens in, 5 out, 0.2500 USD" in found


# --- data that would steer the terminal


HOSTILE = "[red]x[/red] :smile: \x1b[31m\x07\x9b\u202e\u2066"
PLAIN = r"[red]x[/red] :smile: \x1b[31m\x07\x9b\u202e\u2066"


def test_markup_emoji_and_escapes_in_data_are_shown_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        row(f"{HOSTILE}{i}", retrieved=[], slices={"s": value})
        for i, value in enumerate([HOSTILE] * 5 + ["[bold]"] * 5)
    ]
    report = evaluated(tmp_path, lines)
    print_summary({**report, "warnings": [HOSTILE], "run": {"name": HOSTILE}})
    found = capsys.readouterr().out
    assert "\x1b" not in found
    assert "\u202e" not in found
    assert f"s={PLAIN}" in found
    assert "[bold]" in found
    assert f"warning      {PLAIN}" in found
    assert f"run {PLAIN}" in found
    assert f"zero recall  10: {PLAIN[:10]}" in found


def test_visible_text() -> None:
    assert one_line(HOSTILE) == PLAIN
    assert one_line("a\nb\tc\r") == r"a b c\x0d"
    assert lines("a\nb\tc\r\x00") == "a\nb\tc" + r"\x0d\x00"
    assert lines("日本 ünï – “q” 1 000") == "日本 ünï – “q” 1 000"


def test_a_story_keeps_its_lines_and_its_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_story([Section("Asked", (f"one\ntwo {HOSTILE}", "x" * 300))])
    found = capsys.readouterr().out
    assert found.startswith("Asked\n  one")
    assert f"  two {PLAIN}" in found
    assert "\x1b" not in found
    assert found.count("x") >= 300
    assert max(map(len, found.splitlines())) <= terminal.WIDTH


def test_a_line_to_paste_is_neither_indented_nor_folded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = '{"query_id": "q", "claim": "' + "word " * 40 + '"}'
    print_story([Section("Next", ("settle it:", line))])
    assert f"\n{line}\n" in capsys.readouterr().out
