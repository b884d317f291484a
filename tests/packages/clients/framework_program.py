"""Typical use of the loaders in three libraries; run by `live_frameworks` where the libraries are."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ByteStream
from haystack.document_stores.in_memory import InMemoryDocumentStore
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_quire import QuireLoader
from llama_index.core import MockEmbedding, SimpleDirectoryReader, VectorStoreIndex
from llama_index.readers.quire import QuireReader
from quire_client import Client, DocumentFailed, SkippedFile
from quire_haystack import QuireConverter

TITLE = "Hello"


def flat(facts: dict[str, Any]) -> bool:
    return all(isinstance(value, str | int | float) for value in facts.values())


def with_langchain() -> None:
    loaded = QuireLoader("report.pdf").load()
    assert any(TITLE in one.page_content for one in loaded), loaded
    assert all(flat(one.metadata) and one.id for one in loaded)
    assert {"page", "last_page", "boxes", "chunk_id", "source", "document_id"} <= loaded[0].metadata.keys()
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    assert store.add_documents(loaded) == [one.id for one in loaded]
    (whole,) = QuireLoader("report.pdf", split="document", pages="1").load()
    assert whole.page_content.startswith(TITLE), whole
    assert whole.metadata["source"] == "report.pdf"
    with Client() as client:
        many = QuireLoader(["papers/one.pdf", "papers/two.pdf"], client=client, split="document")
        names = [one.metadata["file_name"] for one in asyncio.run(many.aload())]
    assert names == ["one.pdf", "two.pdf"]
    with pytest.raises(DocumentFailed, match=r"broken\.bin: unsupported-format"):
        QuireLoader(["broken.bin"]).load()
    with pytest.warns(SkippedFile, match=r"broken\.bin"):
        rest = QuireLoader(["broken.bin", "report.pdf"], split="document", on_error="warn").load()
    assert [one.metadata["file_name"] for one in rest] == ["report.pdf"]


def with_llama_index() -> None:
    reader = QuireReader()
    loaded = reader.load_data("report.pdf", extra_info={"case": 7})
    assert any(TITLE in one.text for one in loaded)
    assert all(flat(one.metadata) and one.metadata["case"] == 7 for one in loaded)
    assert "boxes" not in loaded[0].get_content(metadata_mode="embed")  # type: ignore[arg-type]
    index = VectorStoreIndex.from_documents(loaded, embed_model=MockEmbedding(embed_dim=8))
    found = index.as_retriever(similarity_top_k=1).retrieve("cranes")
    assert found[0].metadata["document_id"].startswith("doc_")
    saved = QuireReader.from_dict(QuireReader(split="document").to_dict())
    assert saved.split == "document"
    with pytest.warns(SkippedFile):
        assert len(QuireReader(split="document", on_error="warn").load_data(["broken.bin", "report.pdf"])) == 1
    papers = SimpleDirectoryReader("papers", file_extractor={".pdf": saved}).load_data()
    assert [Path(one.metadata["file_path"]).name for one in papers] == ["one.pdf", "two.pdf"]


def with_haystack() -> None:
    store = InMemoryDocumentStore()
    pipeline = Pipeline()
    pipeline.add_component("read", QuireConverter())
    pipeline.add_component("write", DocumentWriter(store))
    pipeline.connect("read", "write")
    pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=["quire_haystack.converter"])
    bytes_of = ByteStream(Path("report.pdf").read_bytes(), meta={"file_name": "sent.pdf"})
    pipeline.run({"read": {"sources": ["report.pdf", bytes_of], "meta": [{"case": 7}, {"case": 8}]}})
    writer = pipeline.get_component("write")
    found = InMemoryBM25Retriever(writer.document_store).run(query=TITLE)["documents"]
    assert {one.meta["case"] for one in found} == {7, 8}
    assert {one.meta["file_name"] for one in found} == {"report.pdf", "sent.pdf"}
    assert all(flat(one.meta) and "page" in one.meta for one in found)
    with pytest.warns(SkippedFile):
        kept = QuireConverter(split="document", on_error="warn").run(sources=["broken.bin", "report.pdf"])["documents"]
    assert [one.meta["file_name"] for one in kept] == ["report.pdf"]


with_langchain()
with_llama_index()
with_haystack()
print("ok")
