"""Money and time as a user meets them: estimate, --price, --budget, --sample-deadline."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragdiag.chat.prices import prices
from ragdiag.cli import main
from ragdiag.cli.options import finite
from ragdiag.errors import UsageError
from ragdiag.evaluation import directory as at
from ragdiag.evaluation.spending import spent_so_far
from tests.cli.test_llm_judge import (
    Ran,
    assert_adds_up,
    calls,
    environment,
    kind,
    reply,
    report_of,
    samples,
)
from tests.stub_server import Scripted, Seen, answering

Run = Callable[..., Ran]
PRICED = ("--price", "m=1,2")
N = 10
REASON = (
    '"reason": "Passage 1 says of the ceiling of this hall whose work it is, in so many words."'
)


def metered(seen: Seen) -> Scripted:
    """The good model, with reasons as models write them, and a usage that a tokenizer might count: 3.4 bytes a token."""
    answer = reply(seen)
    if seen.method == "POST":
        asked = json.dumps(seen.body["messages"]) + json.dumps(seen.body["response_format"])
        message = answer.body["choices"][0]["message"]
        said = message["content"] = message["content"].replace('"reason": "r"', REASON)
        answer.body["usage"] = {
            "prompt_tokens": int(len(asked) / 3.4),
            "completion_tokens": int(len(said) / 3.4),
        }
    return answer


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in this process."""
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("RAGDIAG_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def call(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["ragdiag", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main.run()
        told = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        return Ran(stop.value.code, told.out, told.err, 0)

    return call


def estimated(run: Run, source: Path, out: Path, url: str, *options: object) -> dict[str, Any]:
    ran = run(
        "estimate", source, "-o", out, "--base-url", url, "--model", "m", "--json", *options
    )  # fmt: skip
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def evaluated(run: Run, source: Path, out: Path, url: str, *options: object) -> Ran:
    return run(
        "evaluate", source, "-o", out, "--judge", "llm:m", "--base-url", url, *options
    )  # fmt: skip


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return samples(tmp_path, N)


def test_an_estimate_and_the_run_that_it_tells_of(run: Run, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with answering(metered) as server:
        before = estimated(run, source, out, server.url, *PRICED, "--rpm", 20, "--latency", 0.5)
        assert not server.seen
        assert not out.exists()
        ran = evaluated(run, source, out, server.url, *PRICED)
        assert ran.code == 0, ran.err
        after = estimated(run, source, out, server.url, *PRICED)
        anew = estimated(run, source, out, server.url, *PRICED, "--fresh")
    cost = report_of(out)["cost"]
    for check in ("claims", "support", "evidence", "correctness"):
        told, came = before["by_check"][check], cost["by_check"][check]
        assert told["calls"] == came["calls"] == N
        assert 1 / 1.6 < told["input_tokens"] / came["input_tokens"] < 1.6
        assert 1 / 3 < told["output_tokens"] / came["output_tokens"] < 3
    assert 1 / 1.6 < before["usd"] / cost["usd"] < 1.6
    assert cost["usd"] == pytest.approx((cost["input_tokens"] + 2 * cost["output_tokens"]) / 1e6)
    # 40 calls at 20 a minute; 40 calls of half a second, eight at a time
    assert before["seconds_by"] == {"latency": 2.5, "rpm": 120}
    assert (before["seconds"], before["cached"]) == (120, 0)

    # of what is there already, nothing is asked; begun anew, the cache has it all
    assert (after["calls"], after["cached"], after["n_judged_before"]) == (0, 0, N)
    assert (anew["calls"], anew["cached"], anew["n_judged_before"]) == (0, 4 * N, 0)
    assert (anew["usd"], anew["by_check"]["support"]["cached"]) == (0, N)


def test_an_estimate_as_text(run: Run, source: Path, tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    spec = f"cascade:llm:gpt-4o-mini@{url},llm:own@{url}"
    ran = run("estimate", source, "-o", tmp_path / "none", "--judge", spec, "--tpm", 1000)
    assert ran.code == 0, ran.err
    assert max(map(len, ran.out.splitlines())) <= 100
    total = next(line for line in ran.out.splitlines() if line.startswith("total"))
    assert total.split()[1] == "70"  # the second is asked all but the claims, at most
    assert total.split()[-1] == "unknown"
    assert "--price own=IN,OUT" in ran.out
    assert "bounded by tpm" in ran.out
    none = run("estimate", source, "-o", tmp_path / "none", "--judge", "screen")
    assert none.out.splitlines()[3].split() == ["total", "0", "0", "0", "0", "0.0000"]


def test_an_estimate_refuses_what_an_evaluation_refuses(
    run: Run, source: Path, tmp_path: Path
) -> None:
    assert run("estimate", source, "--judge", "llm").code == 2  # no model is assumed
    bad = run("estimate", source, "--judge", "llm:m", "--price", "m=1")
    assert (bad.code, "MODEL=IN,OUT" in bad.err) == (2, True)
    assert run("estimate", source, "--judge", "llm:m", "-o", source).code == 2
    assert run("estimate", tmp_path / "absent.jsonl", "--judge", "llm:m").code == 2


def test_a_budget_ends_a_run_cleanly_and_more_of_it_goes_on(
    run: Run, source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with answering(metered) as server:
        whole = evaluated(run, source, tmp_path / "whole", server.url, *PRICED)
        assert whole.code == 0
        usd = report_of(tmp_path / "whole")["cost"]["usd"]
        server.seen.clear()

        half = evaluated(run, source, out, server.url, *PRICED, "--budget", str(usd / 2))
        report = report_of(out)
        assert half.code == 3
        assert "budget" in half.err
        assert "larger --budget" in half.err
        assert usd / 4 < report["cost"]["usd"] <= usd / 2
        assert_adds_up(report, N)
        reasons = Counter[str]()
        for metric in report["metrics"].values():
            reasons.update(metric["reasons"])
        assert reasons["budget"] > 0
        assert not {"server", "timeout", "quota"} & reasons.keys()

        n_paid = len(calls(server))
        again = evaluated(run, source, out, server.url, *PRICED, "--budget", str(usd / 2))
        assert again.code == 3
        assert len(calls(server)) <= n_paid + 1  # there may have been money for one call more

        more = evaluated(run, source, out, server.url, *PRICED, "--budget", str(2 * usd))
        assert more.code == 0, more.err
        asked = [json.dumps(seen.body) for seen in calls(server)]
    assert len(asked) == len(set(asked)) == 4 * N
    # what each run paid adds up to one whole run, and the scores are those of one
    assert report_of(out)["cost"]["usd"] == pytest.approx(usd)
    assert (out / at.RESULTS).exists()
    one, other = report_of(out)["metrics"], report_of(tmp_path / "whole")["metrics"]
    assert {name: row["value"] for name, row in one.items()} == {
        name: row["value"] for name, row in other.items()
    }


def test_a_budget_for_a_model_without_a_price(run: Run, source: Path, tmp_path: Path) -> None:
    with answering(metered) as server:
        ran = evaluated(run, source, tmp_path / "out", server.url, "--budget", "1")
        assert not server.seen
    assert ran.code == 2
    assert "--price m=IN,OUT" in ran.err
    assert not (tmp_path / "out").exists()


def test_what_earlier_runs_cost_is_counted_or_said_to_be_unknown(run: Run, tmp_path: Path) -> None:
    source, out = samples(tmp_path, 2), tmp_path / "out"
    with answering(metered) as server:
        assert evaluated(run, source, out, server.url).code == 0
        ran = evaluated(run, source, out, server.url, *PRICED, "--budget", 1)
        assert ran.code == 0, ran.err
        told = "--budget: what 8 earlier calls cost is not known, and not counted"
        assert told in report_of(out)["warnings"]
        assert evaluated(run, source, out, server.url, *PRICED, "--budget", 1, "--fresh").code == 0
        assert not any("--budget" in warning for warning in report_of(out)["warnings"])
        # another judge's evaluation lends its cache to an estimate, and nothing else
        ran = run("estimate", source, "-o", out, "--base-url", server.url, "--judge", "llm:other")
    assert "holds an evaluation of another judge or other data" in ran.err
    assert ran.out.count("judged already") == 0


def test_money_that_no_verdict_tells_of_is_counted(run: Run, tmp_path: Path) -> None:
    """8 calls were paid. Stopped before a verdict was written, their replies stay in the cache;
    the second budget holds them, so it is passed already, and nothing more is asked."""
    source, out = samples(tmp_path, 2), tmp_path / "out"
    with answering(metered) as server:
        assert evaluated(run, source, out, server.url, *PRICED, "--budget", 1).code == 0
        usd = report_of(out)["cost"]["usd"]
        noted = json.loads((out / at.SPENT).read_text())["usd"]
        assert noted == pytest.approx(usd)
        for name in (at.VERDICTS, at.RESULTS, at.REPORT):
            (out / name).unlink()
        assert spent_so_far(out, prices(["m=1,2"]))[0] == pytest.approx(usd)
        (out / at.SPENT).unlink()
        assert spent_so_far(out, prices(["m=1,2"]))[0] == pytest.approx(usd)
        told = "--budget: what 8 earlier calls cost is not known, and not counted"
        assert spent_so_far(out, prices()) == (0.0, (told,))
        assert evaluated(run, source, out, server.url, *PRICED, "--budget", 1).code == 0
        assert report_of(out)["cost"]["usd"] == 0  # all of it from the cache
        assert len(calls(server)) == 8
        more = samples(tmp_path, 3)
        (out / at.SPENT).write_text(json.dumps({"usd": usd}))
        ran = evaluated(run, more, out, server.url, *PRICED, "--budget", usd, "--force")
        assert ran.code == 3
        assert len(calls(server)) == 8
        ran = evaluated(run, more, out, server.url, *PRICED, "--budget", 1, "--fresh")
        assert (ran.code, len(calls(server))) == (0, 12)
        assert json.loads((out / at.SPENT).read_text())["usd"] == pytest.approx(usd / 2, rel=0.1)
        (out / at.SPENT).write_text('{"usd": "much"}')
        ran = evaluated(run, more, out, server.url, *PRICED, "--budget", usd, "--force")
        assert (ran.code, "spent.json cannot be read" in ran.err) == (2, True)


def test_a_sample_that_takes_too_long_keeps_what_was_judged(run: Run, tmp_path: Path) -> None:
    source, out = samples(tmp_path, 2), tmp_path / "out"
    slow_for = ["support"]

    def slow(seen: Seen) -> Scripted:
        answer = metered(seen)
        if seen.method == "POST" and kind(seen) in slow_for:
            answer.delay = 30
        return answer

    with answering(slow) as server:
        ran = evaluated(run, source, out, server.url, "--sample-deadline", "3")
        report = report_of(out)
        assert ran.code == 3
        assert report["metrics"]["faithfulness"]["reasons"] == {"deadline": 2}
        assert report["ledger"]["answer_correctness"]["scored"] == 2
        assert report["ledger"]["sufficiency"]["scored"] == 2
        assert_adds_up(report, 2)

        slow_for.clear()
        server.seen.clear()
        ran = evaluated(run, source, out, server.url, "--sample-deadline", "60")
        assert ran.code == 0, ran.err
        assert Counter(map(kind, calls(server))) == {"support": 2}


def test_limits_on_the_command_line(run: Run, tmp_path: Path) -> None:
    source = samples(tmp_path, 1)
    with answering(metered) as server:
        ran = evaluated(
            run, source, tmp_path / "out", server.url, "--rpm", "6000", "--tpm", "10000000",
            "--concurrency", "2",
        )  # fmt: skip
        assert ran.code == 0, ran.err
        assert len(calls(server)) == 4
        for bad in (("--rpm", "0"), ("--tpm", "-1"), ("--budget", "nan"), ("--budget", "-1")):
            assert evaluated(run, source, tmp_path / "bad", server.url, *bad).code == 2


def test_a_number_that_is_none() -> None:
    assert finite("--x", None) is None
    assert finite("--x", 0.5) == 0.5
    for value in (float("nan"), float("inf")):
        with pytest.raises(UsageError, match="--x takes a number"):
            finite("--x", value)


def test_an_estimate_counts_a_jury_as_often_as_it_is_asked(run: Run, tmp_path: Path) -> None:
    """Claims and components come of the first member; what is voted on, of each."""
    source = tmp_path / "without_gold.jsonl"
    sample = {
        "query_id": "q",
        "query": "Who painted the hall, and when was it opened?",
        "answer": "Mira Solberg painted it.",
        "retrieved": [{"passage_id": "p", "text": "Mira Solberg painted the hall."}],
    }
    source.write_text(json.dumps(sample), encoding="utf-8")

    def by_check(judge: str) -> dict[str, int]:
        ran = run("estimate", source, "-o", tmp_path / "none", "--judge", judge, "--json")
        assert ran.code == 0, ran.err
        return {check: row["calls"] for check, row in json.loads(ran.out)["by_check"].items()}

    one, three = by_check("llm:m@http://h"), by_check("jury:3*llm:m@http://h")
    assert three["support"] == 3 * one["support"]
    assert three["claims"] == one["claims"]
    assert three["evidence"] == 4 * one["evidence"]  # the components, and three votes
