from __future__ import annotations

from pathlib import Path

import pytest

from ragdiag.chat.prices import Price, parse_price, prices, shipped
from ragdiag.errors import UsageError
from ragdiag.records import Usage

PRICE = Price(input=2.0, output=10.0, cached=0.5)


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        (Usage(input_tokens=1_000_000, output_tokens=0), 2.0),
        (Usage(input_tokens=0, output_tokens=1_000_000), 10.0),
        # 400,000 of the million came from the vendor's cache: 0.6 * 2 + 0.4 * 0.5
        (Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=0), 1.4),
        (Usage(input_tokens=10, cached_input_tokens=99, output_tokens=0), 5e-6),
        (Usage(input_tokens=10, cached_input_tokens=None, output_tokens=0), 2e-5),
        (Usage(input_tokens=None, output_tokens=5), None),
        (Usage(input_tokens=5, output_tokens=None), None),
    ],
)
def test_what_a_usage_costs(usage: Usage, usd: float | None) -> None:
    assert PRICE.of(usage) == (None if usd is None else pytest.approx(usd))


def test_without_a_price_for_cached_input_it_costs_as_all_input() -> None:
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=0)
    assert Price(input=2.0, output=10.0).of(usage) == 2.0


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("gpt-4o-mini", 0.6),
        ("gpt-4o-mini-2024-07-18", 0.6),
        ("GPT-4o-mini", 0.6),
        ("openai/gpt-4o-mini", 0.6),
        ("gpt-4o", 10.0),
        ("gpt-4.1-nano-latest", 0.4),
        ("gpt-4o-mini-turbo", None),  # another model, however much the names share
        ("my-gpt-4o", None),
        ("llama-3.1-8b", None),
        ("", None),
    ],
)
def test_the_shipped_table(model: str, output: float | None) -> None:
    found = prices().of(model)
    assert (None if found is None else found.output) == output


def test_the_shipped_table_is_dated_and_cached_input_is_never_dearer() -> None:
    dated, rows = shipped()
    assert len(dated) == len("2026-06")
    assert len({model for model, _ in rows}) == len(rows)
    for _, price in rows:
        assert price.cached is not None
        assert 0 < price.cached <= price.input < price.output


def test_the_users_prices_come_first_then_the_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        '[[price]]\nmodel = "gpt-4o"\ninput = 1\noutput = 2\n'
        '[[price]]\nmodel = "own-*"\ninput = 3\noutput = 4\ncached = 0.5\n',
        encoding="utf-8",
    )
    found = prices(["own-a = 7, 8"], file=file)
    assert found.of("own-a") == Price(7, 8)
    assert found.of("own-b") == Price(3, 4, 0.5)
    assert found.of("gpt-4o-2024-08-06") == Price(1, 2)
    assert found.of("gpt-4o-mini") == Price(0.15, 0.6, 0.075)


def test_a_dated_model_may_have_a_price_of_its_own() -> None:
    given = prices(["gpt-4o-2024-05-13=5,15"])
    assert given.of("gpt-4o-2024-05-13") == Price(5, 15)
    assert given.of("gpt-4o") == Price(2.5, 10, 1.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m=1,2", ("m", Price(1, 2))),
        ("a/b:c@x=0.1,0.2,0", ("a/b:c@x", Price(0.1, 0.2, 0))),
        ("a=b=1,2", ("a=b", Price(1, 2))),
        ("m=$1,$2", ("m", Price(1, 2))),
    ],
)
def test_prices_on_the_command_line(text: str, expected: tuple[str, Price]) -> None:
    assert parse_price(text) == expected


@pytest.mark.parametrize(
    "text", ["m", "m=", "m=1", "=1,2", "m=1,2,3,4", "m=-1,2", "m=nan,1", "m=inf,1", "m=one,two"]
)
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="MODEL=IN,OUT"):
        parse_price(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no toml", "no TOML"),
        ("", "no \\[\\[price\\]\\]"),
        ("price = 3", "no \\[\\[price\\]\\]"),
        ("price = [3]", "price 1: write it as"),
        ('[[price]]\nmodel = "m"\n', "needs input and output"),
        ('[[price]]\ninput = 1\noutput = 2\n', "give model"),
        ('[[price]]\nmodel = "m"\ninput = 1\noutput = 2\nouptut = 3', "give model"),
        ('[[price]]\nmodel = "m"\ninput = -1\noutput = 2', "no price"),
        ('[[price]]\nmodel = "m"\ninput = true\noutput = 2', "no price"),
    ],
)  # fmt: skip
def test_a_bad_file_of_prices_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=told) as fault:
        prices(file=file)
    assert "p.toml" in str(fault.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        prices(file=tmp_path / "absent.toml")
