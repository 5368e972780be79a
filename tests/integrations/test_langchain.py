"""LangChain's own retrievers and chains as pipelines, as they are. Runs in `make ragas`."""

from __future__ import annotations

from typing import Any

import pytest

from ragdiag import Sample, collect

pytest.importorskip("langchain_core", reason="langchain is not installed: make ragas")
pytestmark = pytest.mark.filterwarnings("ignore")  # of langchain

QUERIES = [{"query_id": "q1", "query": "Where?", "history": [["user", "Hi"]]}]
PAGE = {"source": "a.pdf", "page": 3, "page_label": "4"}


def retriever() -> Any:
    from langchain_core.documents import Document  # noqa: PLC0415
    from langchain_core.retrievers import BaseRetriever  # noqa: PLC0415

    class Own(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [
                Document(id="d1", page_content=f"about {query}", metadata=PAGE),
                Document(page_content="no id"),
            ]

    return Own()


def asked(pipeline: Any) -> Sample:
    (sample,) = collect(QUERIES, pipeline)
    assert sample.error is None
    return sample


def test_a_retriever() -> None:
    first, second = asked(retriever()).retrieved or ()
    assert (first.passage_id, first.doc_id, first.text) == ("d1", "a.pdf", "about Where?")
    assert first.page == 4  # its page counts from 0, its label from 1
    assert second.passage_id.startswith("text-")


def test_a_chain_with_its_context() -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel  # noqa: PLC0415
    from langchain_core.prompts import ChatPromptTemplate  # noqa: PLC0415
    from langchain_core.runnables import RunnablePassthrough  # noqa: PLC0415

    found = retriever()
    prompt = ChatPromptTemplate.from_messages([("human", "{input} {context}")])
    model = FakeListChatModel(responses=["In Rome."])
    chain = RunnablePassthrough.assign(
        context=lambda given: found.invoke(given["input"])
    ) | RunnablePassthrough.assign(answer=prompt | model)

    def ask(query: str) -> Any:
        return chain.invoke({"input": query})

    sample = asked(ask)
    assert sample.answer == "In Rome."
    assert [passage.passage_id for passage in sample.retrieved or ()][:1] == ["d1"]


def test_a_prompt_and_a_model_take_the_key_that_they_name() -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel  # noqa: PLC0415
    from langchain_core.prompts import ChatPromptTemplate  # noqa: PLC0415

    prompt = ChatPromptTemplate.from_messages([("human", "{question}")])
    assert asked(prompt | FakeListChatModel(responses=["In Rome."])).answer == "In Rome."
