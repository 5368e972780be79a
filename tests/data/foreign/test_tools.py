"""One small file of each tool, with the sample that it must become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragdiag.data.foreign.passages import text_id
from ragdiag.data.foreign.reading import Foreign, open_foreign
from ragdiag.data.lines import Row
from ragdiag.data.samples import read_sample


def p(text: str, **more: Any) -> dict[str, Any]:
    return {"passage_id": text_id(text), "text": text, **more}


def native(tmp_path: Path, given: Any) -> tuple[str, list[dict[str, Any]]]:
    path = tmp_path / "x"
    path.write_text(given if isinstance(given, str) else json.dumps(given), encoding="utf-8")
    found = open_foreign(path)
    assert isinstance(found, Foreign), found
    rows = list(found.rows())
    assert all(isinstance(row, Row) for row in rows), rows
    values = [row.value for row in rows if isinstance(row, Row)]
    for row in rows:
        assert isinstance(row, Row)
        assert read_sample(row).problems == ()
    return found.format.name, values


LC = {"page_content": "P", "metadata": {"source": "s", "page": 0}}
SAID = [
    {"content": "S", "type": "system"}, {"content": "Hi", "type": "human"},
    {"content": "", "type": "ai", "tool_calls": [{"name": "search", "args": {}}]},
    {"content": "found", "type": "tool"}, {"content": "Q", "type": "human"},
]  # fmt: skip
TWICE = [{"content": "Q", "type": "human"}, {"content": "B", "type": "ai"}]
CASES: list[tuple[str, str, Any, dict[str, Any]]] = [
    (
        "benchmark-qed",
        "questions with what an answer must say",
        [{"question_id": "q", "question_text": "Q", "assertions": ["a"]}],
        {"query_id": "q", "query": "Q", "metadata": {"assertions": ["a"]}},
    ),
    (
        "benchmark-qed",
        "answers",
        [{"question_id": "q", "question_text": "Q", "answer": "A"}],
        {"query_id": "q", "query": "Q", "answer": "A"},
    ),
    (
        "mlflow",
        "columns of their own",
        [{"request": "Q", "response": "A", "retrieved_context": [{"doc_uri": "d", "content": "c"}],
          "expected_facts": ["f"], "request_id": 7}],
        {"query_id": "7", "query": "Q", "answer": "A", "reference": ["f"],
         "retrieved": [{"passage_id": "d", "doc_id": "d", "text": "c"}],
         "metadata": {"expected_facts": ["f"]}},
    ),
    (
        "mlflow",
        "outputs with documents",
        [{"inputs": {"topic": "Q"}, "outputs": {"answer": "A", "documents": ["c"]}}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [p("c")],
         "metadata": {"outputs": {"answer": "A", "documents": ["c"]}}},
    ),
    (
        "ragdiag",
        "a JSON list",
        [{"query_id": "q", "query": "Q", "retrieved": ["a"], "answer": "A"}],
        {"query_id": "q", "query": "Q", "retrieved": ["a"], "answer": "A"},
    ),
    (
        "ragdiag",
        "a table",
        'query_id,query,retrieved,answer\n007,Q,"[""a""]",A\n',
        {"query_id": "007", "query": "Q", "retrieved": ["a"], "answer": "A"},
    ),
    (
        "langchain",
        "nothing was retrieved",
        [{"input": "Q", "context": [], "answer": "A"}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": []},
    ),
    (
        "langchain",
        "documents as they print themselves",
        'input,context,answer\nQ,"[Document(id=\'x\', metadata={\'k\': 1}, page_content=\'P\')]",A\n',
        {"query_id": "row-1", "query": "Q", "answer": "A",
         "retrieved": [{"passage_id": "x", "text": "P", "metadata": {"k": 1}}]},
    ),
    (
        "deepeval",
        "a table whose lists are joined",
        "input,actual_output,retrieval_context,context\nQ,A,a|b,\"['g', 'h']\"\n",
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [p("a"), p("b")],
         "gold": [[{"text": "g"}, {"text": "h"}]]},
    ),
    (
        "autorag",
        "a bare reference, and two retrievers without a whole",
        [{"qid": "q", "query": "Q", "generation_gt": "R", "retrieved_ids_a": ["x"],
          "retrieved_ids_b": ["y"]}],
        {"query_id": "q", "query": "Q", "reference": ["R"],
         "stages": {"a": [{"passage_id": "x"}], "b": [{"passage_id": "y"}]}},
    ),
    (
        "mt-rag",
        "a prediction",
        [{"task_id": "t", "input": [{"speaker": "user", "text": "Q"}], "contexts": [],
          "predictions": [{"text": "A"}], "Answerability": ["ANSWERABLE"]}],
        {"query_id": "t", "query": "Q", "retrieved": [], "answer": "A", "answerable": True,
         "metadata": {"Answerability": ["ANSWERABLE"]}},
    ),
    (
        "ragas",
        "names of 0.2",
        [{"user_input": "Q", "response": "A", "retrieved_contexts": ["c", "d"], "reference": "R",
          "reference_contexts": ["g", "h"], "retrieved_context_ids": [7, "x"], "faithfulness": 0.5}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "reference": ["R"],
         "retrieved": [{"passage_id": "7", "text": "c"}, {"passage_id": "x", "text": "d"}],
         "gold": [[{"text": "g"}, {"text": "h"}]], "metadata": {"faithfulness": 0.5}},
    ),
    (
        "ragas",
        "names of 0.1",
        [{"question": "Q", "answer": "A", "contexts": ["c"], "ground_truths": ["R", "S"]}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [p("c")],
         "reference": ["R", "S"]},
    ),
    (
        "ragas",
        "ids alone",
        [{"user_input": "Q", "retrieved_context_ids": [1.0, "1.0"], "reference_context_ids": [1, "g"]}],
        {"query_id": "row-1", "query": "Q",
         "retrieved": [{"passage_id": "1"}, {"passage_id": "1.0"}],
         "gold": [[{"passage_id": "1"}, {"passage_id": "g"}]]},
    ),
    (
        "ragas",
        "several turns",
        [{"user_input": [{"content": "Hi", "type": "human"}, {"content": "Ho", "type": "ai"},
                         {"content": "Q", "type": "human"}], "response": "A",
          "retrieved_contexts": []}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [],
         "history": [["user", "Hi"], ["assistant", "Ho"]]},
    ),
    (
        "deepeval",
        "context is the gold one",
        [{"input": "Q", "actual_output": "A", "expected_output": "R", "retrieval_context": ["c"],
          "context": ["g"], "name": "n1", "comments": "k"}],
        {"query_id": "n1", "query": "Q", "answer": "A", "reference": ["R"], "retrieved": [p("c")],
         "gold": [[{"text": "g"}]], "metadata": {"comments": "k"}},
    ),
    (
        "deepeval",
        "a test run",
        {"testCases": [{"name": "t", "input": "Q", "actualOutput": "A", "retrievalContext": ["c"],
                        "metricsData": [{"name": "m"}]}], "runDuration": 2},
        {"query_id": "t", "query": "Q", "answer": "A", "retrieved": [p("c")],
         "metadata": {"metricsData": [{"name": "m"}], "beside the records": {"runDuration": 2}}},
    ),
    (
        "deepeval",
        "a conversation",
        [{"scenario": "s", "turns": [{"role": "user", "content": "Q"},
                                     {"role": "assistant", "content": "A", "retrieval_context": ["c"]}]}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [p("c")],
         "metadata": {"scenario": "s", "turns": [{"role": "user", "content": "Q"},
                                                 {"role": "assistant", "content": "A", "retrieval_context": ["c"]}]}},
    ),
    (
        "ragchecker",
        "one passage id a text",
        {"results": [{"query_id": "007", "query": "Q", "gt_answer": "R", "response": "A",
                      "retrieved_context": [{"doc_id": "d", "text": "c"}, {"doc_id": "d", "text": "e"}]}]},
        {"query_id": "007", "query": "Q", "reference": ["R"], "answer": "A",
         "retrieved": [{"passage_id": "d", "doc_id": "d", "text": "c"},
                       {"passage_id": "d#2", "doc_id": "d", "text": "e"}]},
    ),
    (
        "autorag",
        "an AND of ORs",
        [{"qid": "q", "query": "Q", "retrieval_gt": [["a", "b"], ["c"]], "generation_gt": ["R"],
          "retrieved_contents": ["x"], "retrieved_ids": ["a"], "retrieve_scores": [2.5],
          "generated_texts": "A"}],
        {"query_id": "q", "query": "Q", "reference": ["R"], "answer": "A",
         "gold": [[{"passage_id": "a"}, {"passage_id": "c"}], [{"passage_id": "b"}, {"passage_id": "c"}]],
         "retrieved": [{"passage_id": "a", "text": "x", "score": 2.5}]},
    ),
    (
        "autorag",
        "a hybrid node keeps the lists of both",
        [{"qid": "q", "query": "Q", "retrieval_gt": [["a"]], "retrieved_ids_lexical": ["a"],
          "retrieved_ids_semantic": ["b"], "retrieved_ids": ["b", "a"]}],
        {"query_id": "q", "query": "Q", "gold": [[{"passage_id": "a"}]],
         "retrieved": [{"passage_id": "b"}, {"passage_id": "a"}],
         "stages": {"lexical": [{"passage_id": "a"}], "semantic": [{"passage_id": "b"}]}},
    ),
    (
        "mlflow",
        "expectations",
        [{"inputs": {"question": "Q"}, "outputs": {"response": "A"}, "dataset_record_id": "r",
          "expectations": {"expected_response": "R", "guidelines": ["be kind"],
                           "expected_retrieved_context": [{"doc_uri": "d", "content": "g"}]}}],
        {"query_id": "r", "query": "Q", "answer": "A", "reference": ["R"],
         "gold": [[{"text": "g", "doc_id": "d"}]],
         "metadata": {"expectations": {"guidelines": ["be kind"]}}},
    ),
    (
        "mlflow",
        "messages, and facts alone",
        [{"inputs": {"messages": [{"role": "user", "content": "Q"}]}, "outputs": "A",
          "expectations": {"expected_facts": ["f", "g"]}}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "reference": ["f\ng"],
         "metadata": {"expected_facts": ["f", "g"]}},
    ),
    (
        "dial",
        "the ground truth's answer is the reference",
        [{"question": "Q", "documents": ["d"], "facts": ["f"], "answer": "R"}],
        {"query_id": "row-1", "query": "Q", "reference": ["R"],
         "gold": [[{"doc_id": "d", "text": "f"}]], "metadata": {"documents": ["d"]}},
    ),
    (
        "dial",
        "the answer's answer is the answer",
        [{"question": "Q", "documents": ["d", "e"], "context": ["c"], "answer": "A"}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [p("c")],
         "metadata": {"documents": ["d", "e"]}},
    ),
    (
        "llamaindex",
        "a labelled data set",
        {"examples": [{"query": "Q", "reference_contexts": ["g"], "reference_answer": "R",
                       "query_by": {"model_name": "m"}}]},
        {"query_id": "row-1", "query": "Q", "reference": ["R"], "gold": [[{"text": "g"}]],
         "metadata": {"query_by": {"model_name": "m"}}},
    ),
    (
        "llamaindex",
        "source nodes",
        [{"query": "Q", "response": "A", "source_nodes": [
            {"node": {"id_": "n", "text": "T", "metadata": {"file_name": "f"},
                      "start_char_idx": 3, "end_char_idx": 4}, "score": 0.5}]}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [
            {"passage_id": "n", "doc_id": "f", "text": "T", "start": 3, "end": 4, "score": 0.5,
             "metadata": {"file_name": "f"}}]},
    ),
    (
        "langchain",
        "a retrieval chain",
        [{"input": "Q", "context": [LC], "answer": "A",
          "chat_history": [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Ho"}]}],
        {"query_id": "row-1", "query": "Q", "answer": "A",
         "retrieved": [p("P", doc_id="s", metadata={"source": "s", "page": 0})],
         "history": [["user", "Hi"], ["assistant", "Ho"]]},
    ),
    (
        "langchain",
        "documents as dumps writes them",
        [{"query": "Q", "result": "A", "source_documents": [
            {"lc": 1, "type": "constructor", "id": ["x", "Document"], "kwargs": LC}]}],
        {"query_id": "row-1", "query": "Q", "answer": "A",
         "retrieved": [p("P", doc_id="s", metadata={"source": "s", "page": 0})]},
    ),
    (
        "benchmark-qed",
        "a list",
        [{"question_id": "q", "text": "Q", "context": [{"chunk_id": 9, "text": "c"}]}],
        {"query_id": "q", "query": "Q", "retrieved": [{"passage_id": "9", "text": "c"}]},
    ),
    (
        "mt-rag",
        "a conversation",
        [{"task_id": "t", "input": [{"speaker": "user", "text": "Hi"}, {"speaker": "agent", "text": "Ho"},
                                    {"speaker": "user", "text": "Q"}],
          "contexts": [{"document_id": "d", "text": "c"}], "targets": [{"speaker": "agent", "text": "R"}],
          "Answerability": ["UNANSWERABLE"], "turn": "2"}],
        {"query_id": "t", "query": "Q", "history": [["user", "Hi"], ["assistant", "Ho"]],
         "retrieved": [{"passage_id": "d", "doc_id": "d", "text": "c"}], "reference": ["R"],
         "answerable": False, "metadata": {"Answerability": ["UNANSWERABLE"], "turn": "2"}},
    ),
    (
        "ragas",
        "one of the right answers, and all of them",
        [{"question": "Q", "contexts": [], "ground_truth": "R", "ground_truths": ["R", "S"]}],
        {"query_id": "row-1", "query": "Q", "retrieved": [], "reference": ["R", "S"]},
    ),
    (
        "ragas",
        "messages that say more than the turns",
        [{"user_input": SAID, "reference": "R"}],
        {"query_id": "row-1", "query": "Q", "history": [["user", "Hi"], ["assistant", ""]],
         "reference": ["R"], "metadata": {"user_input": SAID}},
    ),
    (
        "ragas",
        "an answer among the messages, and another one",
        [{"user_input": TWICE, "response": "A"}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "metadata": {"user_input": TWICE}},
    ),
    (
        "langchain",
        "messages that say more than the turns, and an answer in an object that says more",
        [{"input": "Q", "context": [], "answer": {"answer": "A", "language": "en"},
          "chat_history": [{"type": "system", "content": "S"}, {"type": "human", "content": "Hi"}]}],
        {"query_id": "row-1", "query": "Q", "answer": "A", "retrieved": [],
         "history": [["user", "Hi"]],
         "metadata": {"answer": {"answer": "A", "language": "en"},
                      "chat_history": [{"type": "system", "content": "S"}, {"type": "human", "content": "Hi"}]}},
    ),
    (
        "mt-rag",
        "messages that say more than the turns",
        [{"task_id": "t", "input": [{"speaker": "user", "text": "Q", "metadata": {"author": "x"}}],
          "contexts": []}],
        {"query_id": "t", "query": "Q", "retrieved": [],
         "metadata": {"input": [{"speaker": "user", "text": "Q", "metadata": {"author": "x"}}]}},
    ),
    (
        "mlflow",
        "messages of the system",
        [{"inputs": {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]},
          "outputs": "A"}],
        {"query_id": "row-1", "query": "Q", "answer": "A",
         "metadata": {"inputs": {"messages": [{"role": "system", "content": "S"},
                                              {"role": "user", "content": "Q"}]}}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "given", "sample"),
    [(tool, given, sample) for tool, _, given, sample in CASES],
    ids=[f"{tool}: {what}" for tool, what, _, _ in CASES],
)
def test_a_tools_row(tmp_path: Path, tool: str, given: Any, sample: dict[str, Any]) -> None:
    name, (found,) = native(tmp_path, given)
    assert name == tool
    assert found == sample


def test_open_rag_eval_rows_make_samples(tmp_path: Path) -> None:
    table = (
        "query_id,query,query_run,passage_id,passage,generated_answer,score\n"
        'q,Q,1,[2],"a\n\nb",A [2],.5\n'
        "r,R,2,[1],c,B,\n"
        "q,Q,1,[3],d,,.25\n"
    )
    name, (first, second) = native(tmp_path, table)
    assert name == "open-rag-eval"
    assert first == {
        "query_id": "q",
        "query": "Q",
        "answer": "A [2]",
        "retrieved": [
            {"passage_id": "2", "text": "a\n\nb", "metadata": {"passage_id": "[2]"}},
            {"passage_id": "3", "text": "d", "metadata": {"passage_id": "[3]"}},
        ],
        "slices": {"query_run": "1"},
        "metadata": {"score": ".5", "score (row 2)": ".25"},
    }
    assert (second["query_id"], second["slices"]) == ("r#run2", {"query_run": "2"})


def test_a_name_that_stands_twice_is_no_id(tmp_path: Path) -> None:
    given = [{"name": "n", "input": q, "actual_output": "A"} for q in "ab"]
    _, (one, two) = native(tmp_path, given)
    assert (one["query_id"], two["query_id"], two["metadata"]) == ("n", "row-2", {"name": "n"})


def test_rows_of_a_query_that_disagree_are_refused(tmp_path: Path) -> None:
    head = "query_id,query,query_run,passage_id,passage,generated_answer\n"
    cases = {
        "q,Q,1,1,a,A\nq,R,1,2,b,\n": "query: came",
        "q,Q,1,1,a,A\nq,Q,1,2,b,B\n": "has another answer",
        "q,Q,1,1,a,A\nq,,1,2,b,\n": "no question",
    }
    for number, (text, told) in enumerate(cases.items()):
        path = tmp_path / str(number)
        path.write_text(head + text)
        found = open_foreign(path)
        assert isinstance(found, Foreign)
        problems = [str(one) for one in found.rows() if not isinstance(one, Row)]
        assert len(problems) == 1, text
        assert told in problems[0]


def test_a_nested_value_is_kept_as_it_came(tmp_path: Path) -> None:
    row = {"user_input": "Q", "response": "A", "retrieved_contexts": [], "x": "[" * 99 + "]" * 99}
    _, (found,) = native(tmp_path, [row])
    assert found["metadata"] == {"x": row["x"]}


def test_a_document_keeps_what_it_says(tmp_path: Path) -> None:
    document = {
        "id": 1, "text": "T", "metadata": '{"source": "s", "a": 1}', "score": "high", "a": 2,
        "distance": 0.5,
    }  # fmt: skip
    row = {"query": "Q", "gt_answer": "R", "retrieved_context": [document, {"document": "U"}]}
    _, (found,) = native(tmp_path, [row])
    kept = {"source": "s", "a": 1, "score": "high", "a (of the document)": 2, "distance": 0.5}
    assert found["retrieved"] == [
        {"passage_id": "1", "doc_id": "s", "text": "T", "metadata": kept},
        p("U"),
    ]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"metadata": {}}, "expected a document with a text or an id"),
        ({"id": 1.5}, "expected a document with a text or an id"),
        ({"metadata": "{broken"}, "expected a document with a text or an id"),
        (7, "came 7; expected a text or a document"),
    ],
)
def test_a_document_without_text_and_id_is_refused(
    tmp_path: Path, document: Any, told: str
) -> None:
    path = tmp_path / "x"
    path.write_text(json.dumps([{"query": "Q", "gt_answer": "R", "retrieved_context": [document]}]))
    found = open_foreign(path)
    assert isinstance(found, Foreign)
    assert told in str(next(found.rows()))


def test_too_many_sets_of_evidence_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    groups = [[f"{n}{m}" for m in "ab"] for n in range(11)]  # 2^11 choices
    path.write_text(json.dumps([{"qid": 1, "query": "Q", "retrieval_gt": groups}]))
    found = open_foreign(path)
    assert isinstance(found, Foreign)
    problem = next(found.rows())
    assert "2048 ways" in str(problem)


def test_every_shared_export_is_read(shared: Path) -> None:
    expected = {
        "autorag_hybrid_retrieval.jsonl": ("autorag", 3),
        "benchmark_qed_retrieval_5.json": ("benchmark-qed", 5),
        "deepeval_goldens.csv": ("deepeval", 15),
        "deepeval_goldens.json": ("deepeval", 15),
        "dial_answer.jsonl": ("dial", 3),
        "dial_ground_truth.jsonl": ("dial", 3),
        "open_rag_eval_results.csv": ("open-rag-eval", 7),
        "ragas_annotated_data.json": ("ragas", 21),
        "ragchecker_checking_inputs.json": ("ragchecker", 2),
        "trulens_retrieval_span.json": ("trulens", 1),
    }
    folder = shared / "data" / "tool_exports"
    for path in sorted(folder.iterdir()):
        found = open_foreign(path)
        assert isinstance(found, Foreign), found
        reads = [read_sample(row) for row in found.rows() if isinstance(row, Row)]
        assert all(read.sample is not None and not read.warnings for read in reads), path
        tool, n = expected.get(path.name, (found.format.name, len(reads)))
        assert (found.format.name, len(reads)) == (tool, n), path


def test_a_record_whose_texts_are_json(tmp_path: Path) -> None:
    """TruLens keeps every input and output as JSON: a text has quotes around it there."""
    record = {"record_id": "r", "app_id": "a", "input": '"Who \\u00e9?"', "output": '"Ann"'}
    _, (found,) = native(tmp_path, record)
    assert found == {
        "query_id": "r", "query": "Who \u00e9?", "answer": "Ann", "metadata": {"app_id": "a"},
    }  # fmt: skip


def test_queries_corpus_and_relevant_docs_of_llamaindex(tmp_path: Path) -> None:
    given = {
        "queries": {"q1": "Who?", "q2": "Where?", "q3": "When?"},
        "corpus": {"n1": "Ann.", "n2": "Here."},
        "relevant_docs": {"q1": ["n1", "n2"], "q2": ["absent"]},
        "mode": "text",
    }
    name, found = native(tmp_path, given)
    assert name == "llamaindex"
    assert [(one["query_id"], one.get("gold")) for one in found] == [
        ("q1", [[{"passage_id": "n1", "text": "Ann."}, {"passage_id": "n2", "text": "Here."}]]),
        ("q2", [[{"passage_id": "absent"}]]),
        ("q3", None),
    ]
