"""`ragdiag judge`: tests of a judge itself, before its verdicts are believed or paid for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragdiag.errors import UsageError

if TYPE_CHECKING:
    from ragdiag.judging.attacks import Item, Kind, Outcome, Row
    from ragdiag.judging.doctor import Examination, Given
    from ragdiag.judging.specs import Judges

group = typer.Typer(help="Test a judge: is it fit, and can it be talked into a pass?")
_GATE_FAILED, _UNUSABLE = 1, 2
_MOST_SHOWN = 60

ModelName = Annotated[str | None, typer.Option("--model", help="The model's name.")]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="OpenAI-compatible endpoint; the key: RAGDIAG_API_KEY, else OPENAI_API_KEY.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, no table.")]


@group.command("doctor")
def doctor(
    *,
    model: ModelName = None,
    base_url: BaseUrl = None,
    least: Annotated[
        float, typer.Option(min=0, max=1, help="Share of known answers from which the exit is 0.")
    ] = 0.75,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one call.")] = 120.0,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="Longest reply, thinking included.")
    ] = 2048,
    as_json: AsJson = False,
) -> None:
    """Ask a model twelve questions with known answers: reachable, how, how right, how fast.

    Exit 0: fit; 1: too many known answers are wrong; 2: it cannot be used at all.
    """
    import asyncio  # noqa: PLC0415 - keeps --help fast

    from ragdiag.chat.stack import ChatSettings, open_chat  # noqa: PLC0415
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.judging.doctor import examine  # noqa: PLC0415

    if not model:
        raise UsageError("judge doctor needs --model NAME: none is assumed")
    settings = ChatSettings(concurrency=1, attempts=3, timeout=timeout, deadline=2 * timeout)
    chat = open_chat(model, base_url, settings=settings)

    printed = _Printed()

    async def examined() -> Examination:
        try:
            return await examine(chat, on_given=None if as_json else printed, max_tokens=max_tokens)
        finally:
            await chat.aclose()

    found = asyncio.run(examined())
    fit = found.usable and found.n_right >= least * len(found.given)
    if as_json:
        sys.stdout.write(to_json({**found.report(), "least": least, "fit": fit}))
    else:
        _print_examination(found, least=least, fit=fit)
    if not fit:
        raise typer.Exit(_GATE_FAILED if found.usable else _UNUSABLE)


class _Printed:
    """Prints each answer as it comes; why one failed, only where the one before did otherwise."""

    def __init__(self) -> None:
        self._told: tuple[str, str | None] | None = None

    def __call__(self, given: Given) -> None:
        from ragdiag.report.visible import one_line  # noqa: PLC0415

        mark = "right " if given.right else "WRONG " if given.failed is None else "FAILED"
        expected = f"   (expected {' or '.join(given.known.right)})" if mark == "WRONG " else ""
        said = f"{given.known.name:20} {one_line(given.said):26}{given.seconds:6.1f} s"
        print(f"  {mark} {said}{expected}", flush=True)
        if given.failed is None:
            return
        told = (given.failed, given.came)
        if told != self._told:
            print(f"         {one_line(given.failed)}")
            if given.came is not None:
                print(f"         came: {one_line(given.came)}", flush=True)
        self._told = told


def _print_examination(found: Examination, *, least: float, fit: bool) -> None:
    from ragdiag.report.visible import one_line  # noqa: PLC0415

    told = found.report()
    print(f"\nendpoint       {one_line(found.endpoint)}")
    names = ", ".join(one_line(name)[:_MOST_SHOWN] for name in found.models)
    print(f"model          {one_line(found.model)}" + (f" (answers as {names})" if names else ""))
    if found.hint:
        print(f"note           {one_line(found.hint)[: 3 * _MOST_SHOWN]}")
    dropped = ", ".join(found.abilities.get("dropped_parameters", ())) or "none"
    print(f"output         {found.abilities.get('structured_output', 'not known')}")
    print(f"refused        {dropped}")
    print(
        f"known answers  {found.n_right} of {len(found.given)} right (at least {least:.0%} wanted)"
    )
    latency = told["latency_s"]
    if latency:
        speed = found.tokens_a_second
        written = f", {speed:.0f} tokens/s" if speed else ", tokens unknown"
        print(f"a call         {latency['median']:.2f} s (most {latency['most']:.2f} s){written}")
    estimate = told["estimate"]
    if found.usable:
        print(
            f"1,000 samples  at most {estimate['calls']:,} calls, {_tokens(estimate)}, "
            f"{_money(estimate['usd'])} (texts this short)"
        )
    failed = [one for one in found.given if one.failed is not None]
    if failed and found.usable:
        print(f"failed         {len(failed)} replies cannot be used; see what came")
    verdict = "fit to judge" if fit else "not fit to judge"
    print(f"\n{verdict if found.usable else 'unusable: no call came through'}")
    if not found.usable and failed:
        print(f"the last call ended with: {one_line(failed[-1].failed or '')}")
        print("hint: is --base-url the API (it often ends in /v1), and does the server's log say?")


def _tokens(estimate: dict[str, Any]) -> str:
    given, written = estimate["input_tokens"], estimate["output_tokens"]
    if given is None or written is None:
        return "tokens unknown"
    return f"{given / 1e6:.1f} M tokens in, {written / 1e6:.1f} M out"


def _money(usd: float | None) -> str:
    return "price unknown" if usd is None else f"{usd:.2f} USD"


@group.command("attack")
def attack(
    *,
    judge: Annotated[
        str, typer.Option(help="screen, llm[:MODEL[@BASE_URL]], cascade:A,B.")
    ] = "screen",
    model: ModelName = None,
    base_url: BaseUrl = None,
    kinds: Annotated[
        str | None, typer.Option(help="Only these kinds, comma-separated; all where absent.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Attacks at once.")] = 8,
    max_rate: Annotated[
        float, typer.Option(min=0, max=1, help="Success rate above which the exit is 1.")
    ] = 0.05,
    as_json: AsJson = False,
) -> None:
    """Try to talk a judge into a pass: every kind of attack on answers known to be wrong.

    A success is a judgement that should fail and comes out as a pass.
    """
    import asyncio  # noqa: PLC0415 - keeps --help fast

    from ragdiag.chat.stack import ChatSettings  # noqa: PLC0415
    from ragdiag.data.labels import read_labels  # noqa: PLC0415
    from ragdiag.evaluation.directory import to_json  # noqa: PLC0415
    from ragdiag.judging.attacks import PASSES, summed  # noqa: PLC0415
    from ragdiag.judging.specs import parse_spec  # noqa: PLC0415

    chosen = _chosen(kinds)
    judges = parse_spec(
        judge,
        read_labels=read_labels,
        model=model,
        base_url=base_url,
        settings=ChatSettings(concurrency=concurrency),
    )
    plain, outcomes = asyncio.run(_attacked(judges, chosen, concurrency))
    rows, whole = summed(outcomes)
    if as_json:
        kinds_told = {row.kind: _told(row) for row in rows}
        items = [{"query": i.query, "check": i.check, "said": told} for i, told in plain.items()]
        found = {"judge": judges.name, "all": _told(whole), "kinds": kinds_told, "items": items}
        succeeded = [_success(one) for one in outcomes if one.succeeded]
        sys.stdout.write(to_json({**found, "max_rate": max_rate, "succeeded": succeeded}))
    else:
        n_passed = sum(told == PASSES[item.check] for item, told in plain.items())
        if n_passed:
            print(
                f"WARNING: {n_passed} of {len(plain)} wrong judgements are a pass without any "
                "attack: the judge is wrong as it\nis, and no rate below counts them (the items "
                "are in --json)\n"
            )
        _print_attacks(judges.name, rows, whole, [one for one in outcomes if one.succeeded])
        if whole.n_suspected:
            part = "" if 2 * whole.n_suspected < whole.n else ": this measures the filter"
            print(f"\n{whole.n_suspected} of {whole.n} never reached the model{part}")
    if not whole.n:
        raise typer.Exit(_UNUSABLE)
    if whole.n_succeeded > max_rate * whole.n:
        raise typer.Exit(_GATE_FAILED)


def _chosen(text: str | None) -> Sequence[Kind]:
    from ragdiag.judging.attacks import KINDS  # noqa: PLC0415

    if text is None:
        return KINDS
    asked = [name.strip() for name in text.split(",") if name.strip()]
    known = {kind.name: kind for kind in KINDS}
    unknown = [name for name in asked if name not in known]
    if unknown or not asked:
        raise UsageError(
            f"--kinds: no kind {', '.join(unknown) or text!r}; known: {', '.join(known)}"
        )
    return [known[name] for name in asked]


async def _attacked(
    judges: Judges, kinds: Sequence[Kind], at_once: int
) -> tuple[dict[Item, str], list[Outcome]]:
    """What is said of each item without an attack, and the attacks on those that do not pass."""
    from ragdiag.judging.attacks import (  # noqa: PLC0415
        PASSES,
        attacks,
        run_attacks,
        without_attack,
    )

    try:
        if judges.machine is None:
            raise UsageError("judge attack: people's labels cannot be attacked; name another judge")
        for hint in await judges.preflight():
            print(f"warning: {hint}", file=sys.stderr)
        plain = await without_attack(judges.machine)
        failing = [item for item, said in plain.items() if said != PASSES[item.check]]
        tried = list(attacks(kinds, failing))
        return plain, await run_attacks(judges.machine, tried, at_once=at_once)
    finally:
        await judges.aclose()


def _told(row: Row) -> dict[str, Any]:
    low, high = row.interval
    return {
        "n": row.n,
        "n_succeeded": row.n_succeeded,
        "rate": row.rate,
        "ci_low": low,
        "ci_high": high,
        "n_suspected": row.n_suspected,
        "n_error": row.n_broke,
    }


def _success(one: Outcome) -> dict[str, Any]:
    question = one.attack.question.model_dump(mode="json")
    return {"kind": one.attack.kind, "place": one.attack.place, "said": one.said, **question}


def _print_attacks(name: str, rows: list[Row], whole: Row, succeeded: list[Outcome]) -> None:
    from ragdiag.report.numbers import interval  # noqa: PLC0415

    print(f"attacks on {name}: how often a wrong judgement became a pass (95% interval)\n")
    columns = f"{'passes':>8}{'of':>6}{'rate':>8}  {'interval':14}{'suspected':>10}{'errors':>8}"
    print(f"  {'kind':26}{columns}")
    for row in (*rows, whole):
        rate = "–" if row.rate is None else f"{row.rate:.1%}"
        print(
            f"  {row.kind:26}{row.n_succeeded:>8}{row.n:>6}{rate:>8}  "
            f"{interval(*row.interval):14}{row.n_suspected:>10}{row.n_broke:>8}"
        )
    places = dict.fromkeys(f"{one.attack.kind} ({one.attack.place})" for one in succeeded)
    if places:
        print(f"\nsucceeded: {', '.join(places)}")
