from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest

from ragdiag.evaluation import directory as at
from ragdiag.evaluation.files import Inputs, Options, evaluate_files
from ragdiag.report import page
from ragdiag.report.fix_lines import untold_line
from tests.page_data import PageData
from tests.runs import row, rows, write

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "</details></style><style>*{display:none}",
    "\u202egnp.exe\u2066",
    "<!--",
    "&lt;b&gt;",
]
ALLOWED = {
    "html", "head", "meta", "link", "title", "style", "body", "header", "h1", "h2", "h3", "p",
    "main", "section", "table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "code", "a",
    "ul", "li", "span", "details", "summary", "label", "select", "option", "input", "bdi", "dl",
    "dt", "dd", "script", "noscript", "nav", "strong", "button", "kbd", "div", "form", "fieldset",
    "dialog",
}  # fmt: skip


class Elements(HTMLParser):
    """Counts elements and keeps attributes and texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.inside: dict[str, list[str]] = {"style": [], "script": []}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.open.append("data" if tag == "script" and dict(attrs).get("type") else tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        tag = "data" if tag == "script" and self.open[-1] == "data" else tag
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]].append(data)


def parsed(text: str) -> Elements:
    found = Elements()
    found.feed(text)
    found.close()
    return found


def evaluated(tmp_path: Path, lines: list[dict[str, Any]], **files: Any) -> str:
    source = write(tmp_path / "s.jsonl", lines)
    evaluate_files(Inputs((source,), **files), Options(), out=tmp_path / "out")
    return (tmp_path / "out" / at.PAGE).read_text("utf-8")


def hostile_row(number: int, text: str) -> dict[str, Any]:
    passage = {"passage_id": f"{text} p", "doc_id": text, "text": text, "metadata": {"x": text}}
    return row(
        f"{number} {text}",
        query=text,
        reference=[text],
        answer=f"{text} is {text} [1].",
        retrieved=[passage],
        gold=[[{"passage_id": f"{text} gold", "doc_id": text}]],
        target={"entity": text},
        slices={text: text},
        latency_ms={text: 3},
        history=[["user", text]],
    )


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    facts = tmp_path / "run.json"
    facts.write_text('{"name": "</title><script>alert(1)</script>"}')
    lines = [hostile_row(i, text) for i, text in enumerate(HOSTILE)]
    return evaluated(tmp_path, lines, run_info=facts)


def test_data_makes_no_element_and_no_attribute(hostile: str) -> None:
    found = parsed(hostile)
    assert set(found.tags) <= ALLOWED
    assert found.tags["script"] == 3  # the page's own; the list and the details, which are data
    assert found.tags["style"] == 1
    assert found.tags["details"] == len(HOSTILE) + 3  # slices, hops and answerable; filters
    for tag, name, value in found.attributes:
        assert not name.startswith("on"), (tag, name, value)
        if name in ("href", "src"):
            assert (tag, value) == ("link", "data:,") or (tag == "a" and value), (tag, name, value)
            assert tag == "link" or re.fullmatch(r"#/[^\s<>\"']*", value or ""), value


def test_data_is_shown_as_text_or_held_as_it_is(hostile: str, tmp_path: Path) -> None:
    texts = "".join(parsed(hostile).texts)
    held = PageData(tmp_path / "out" / at.PAGE)
    records = held.records()
    assert [one["query"] for one in records] == HOSTILE
    assert held.queries == HOSTILE
    assert held.ids == [one["id"] for one in records]
    for text in HOSTILE:
        assert text in texts  # as a slice
    assert "49" not in re.findall(r"\b49\b", texts)


def test_style_and_script_are_the_hashed_ones_and_nothing_else_runs(hostile: str) -> None:
    found = parsed(hostile)
    policy = next(
        v for t, n, v in found.attributes if t == "meta" and n == "content" and "src" in (v or "")
    )
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for name, texts in found.inside.items():
        digest = base64.b64encode(hashlib.sha256("".join(texts).encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not [n for _, n, _ in found.attributes if n in ("style", "srcset", "action")]
    assert "http:" not in re.sub(r"https?://www\.w3\.org\S*", "", hostile)


def test_directions_of_data_stay_inside_it(hostile: str) -> None:
    for line in hostile.splitlines():
        for found in re.finditer("\u202e", line):
            before = line[: found.start()]
            holder = re.findall(r"<(\w+)([^<>]*)>(?=[^<]*$)", before)
            assert holder, line[:200]
            tag, attributes = holder[-1]
            assert tag in ("bdi", "title") or 'dir="auto"' in attributes, before[-200:]


def test_links_lead_to_queries_and_lists_that_are_there(hostile: str, tmp_path: Path) -> None:
    found = parsed(hostile)
    ids = [value for _, name, value in found.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = [v or "" for tag, name, v in found.attributes if tag == "a" and name == "href" and v]
    held = PageData(tmp_path / "out" / at.PAGE)
    cases = [unquote(link.removeprefix("#/case/")) for link in links if "#/case/" in link]
    assert cases
    assert set(cases) <= set(held.ids)
    lists = dict(
        parse_qsl(link.partition("?")[2], strict_parsing=True)[0] for link in links if "?" in link
    )
    assert set(lists) <= {"code", "family", "slice"}
    slices = [link.partition("?slice=")[2] for link in links if "?slice=" in link]
    for dimension, value in (unquote(one).split(":", 1) for one in slices):
        assert unquote(value) in [*held.column(unquote(dimension)), "(missing)"]
    assert {(unquote(unquote(one).split(":")[0])) for one in slices} >= set(HOSTILE)


def test_the_page_says_the_numbers_of_the_report(tmp_path: Path) -> None:
    text = evaluated(tmp_path, [row("a"), row("b", answer="It was $5 [3].")])
    report = at.read_json(tmp_path / "out" / at.REPORT)
    assert f"<td>{report['metrics']['answer_correctness']['value']:.3f}</td>" in text
    assert "2 of 2" in text
    assert text.startswith("<!doctype html>")


def test_levels_losses_and_near_misses_are_on_the_page(tmp_path: Path) -> None:
    """Of two queries one has the right document on a wrong page; one loses its evidence."""

    def place(page: int) -> dict[str, Any]:
        text = f"Revenue of Alder was $9{page} in 2016."
        period = {"period": "2016"}
        return {
            "passage_id": f"p{page}", "doc_id": "alder", "page": page, "text": text,
            "metadata": period,
        }  # fmt: skip

    def query(name: str, page: int) -> dict[str, Any]:
        gold = [[{"doc_id": "alder", "page": 3}]]
        target = {"entity": "Alder", "period": "2017"}
        stages = {"candidates": [place(page), place(3)] if name == "lost" else [place(page)]}
        return row(name, gold=gold, target=target, stages=stages, retrieved=[place(page)])

    text = evaluated(tmp_path, [query("right", 3), query("lost", 4)])
    found = " ".join(" ".join(parsed(text).texts).split())
    assert "right document, wrong page at 5: 1 of 2 (50.0%)" in found
    assert "candidates (2) → retrieved (1): 1.000 → 0.500, lost 0.500" in found
    assert "in 1 of 2" in found
    assert "Zero recall: 1 query" in found
    assert "near miss: period, rank 1: p4" in found


def test_what_to_fix_first_and_the_funnel_are_on_the_page(tmp_path: Path) -> None:
    lost = row("lost", answer="It was red.", context=[], retrieved=[{"passage_id": "n"}])
    found = "".join(parsed(evaluated(tmp_path, [*rows(), lost])).texts)
    report = at.read_report(tmp_path / "out")
    assert report["fix_first"]
    for one in report["fix_first"]:
        assert one["component"] in found
        assert f"{one['gain']['upper_bound']:.1%}" in found
        assert one["next_experiment"] in found
    assert "Where the complete evidence is lost" in found
    told = next(one for one in report["funnel_stages"] if one["stage"] == "context")
    assert told["lost_to"]
    assert f"{told['n']} of {told['n_total']}" in found
    assert "no stages.candidates" in found
    told = f"Cannot be told with this data: {untold_line(report)}."
    assert told in found
    assert report["not_available"]["D1"] == 6


def test_a_report_of_retrieval_only_says_why_nothing_is_diagnosed(tmp_path: Path) -> None:
    text = evaluated(tmp_path, [row("a", answer=None)])
    assert '<a href="#/list?code=none">no diagnosis</a></th><td>1</td>' in text
    assert "No diagnosis: no_answer 1." in text


def test_the_families_and_what_is_in_none_add_up(tmp_path: Path) -> None:
    text = evaluated(tmp_path, [*rows(), row("open", reference=None, gold=None)])
    table = text.partition("Where it fails first")[2].partition("</table>")[0]
    numbers = re.findall(
        r'<tr[^>]*><th scope="row"[^>]*><a[^>]*>[^<]*</a></th><td>(\d+)</td>', table
    )
    assert sum(map(int, numbers)) == 6
    assert "No diagnosis: no_answer 1, no_reference 1." in text
    assert ">share that abstains</th>" in text


def test_agreement_and_warnings_are_on_the_page(tmp_path: Path) -> None:
    label = {"query_id": "a", "check": "answer_correctness", "label": "correct"}
    labels = write(tmp_path / "labels.jsonl", [label])
    text = evaluated(tmp_path, [row("a", gold=[[{"doc_id": "nowhere"}]])], labels=labels)
    assert "People: answer_correctness: agreement 1.000" in text
    assert 'class="warning"' in text


def test_the_page_says_clusters_and_what_is_withheld(tmp_path: Path) -> None:
    source = write(tmp_path / "s.jsonl", rows())
    example = evaluate_files(Inputs((source,)), Options(), out=tmp_path / "out")
    withheld = {**example["metrics"]["faithfulness"], "value": None, "withheld": "3 of 40 scored"}
    withheld |= {
        "ci_low": None,
        "ci_high": None,
        "lower_bound": 0.125,
        "upper_bound": 0.875,
        "n_unscored": 37,
    }
    clusters = {"by": "document", "n": 13, "n_own": 0}
    text = page.render_page(
        {
            **example,
            "clusters": clusters,
            "metrics": {**example["metrics"], "faithfulness": withheld},
        }
    )
    assert "intervals by document: 13 clusters" in text
    (row,) = re.findall(r"<tr>.*>faithfulness</th>.*</tr>", text)
    assert "<td>withheld</td>" in row
    assert "<td>[0.12, 0.88]</td>" in row
    assert text.count("95% interval</th><td>") == len(example["k"])
