"""Texts of many callers in one queue: ordered, urgent first, and an error stays with its caller."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from actors.search.embedder import Embedder
from models.cdom.ports import EmbeddingFailed, PortUnavailable
from storage.index.table.entries import Vectors
from tests.waiting import PATIENCE_S


class Lengths:
    """A vector is the text's length; can be held at its first batch, and refuses texts with a bang."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.entered, self.go = threading.Event(), threading.Event()
        self.go.set()

    def embed(self, texts: list[str]) -> Vectors:
        self.batches.append(texts)
        self.entered.set()
        self.go.wait(PATIENCE_S)
        if any("!" in text for text in texts):
            raise ValueError("bang")
        return np.array([[len(text)] for text in texts], dtype=np.float32).reshape(len(texts), 1)


@contextmanager
def running(model: Lengths) -> Iterator[Embedder]:
    embedder = Embedder(model)
    embedder.start()
    yield embedder
    model.go.set()
    assert embedder.drain(PATIENCE_S)


def test_vectors_come_in_the_order_of_the_texts_over_many_batches() -> None:
    texts = ["x" * (n % 37) for n in range(300)]
    with running(Lengths()) as embedder:
        vectors = embedder.embed(texts, timeout_s=10)
    assert vectors[:, 0].tolist() == [float(len(text)) for text in texts]


def test_embedder_batches_waiting_texts_with_urgent_ones_first() -> None:
    model = Lengths()
    model.go.clear()
    with running(model) as embedder:
        callers = [threading.Thread(target=embedder.embed, args=(["first"],), kwargs={"timeout_s": 10})]
        callers[0].start()
        model.entered.wait(PATIENCE_S)
        for text, urgent in (("later", False), ("now", True)):
            caller = threading.Thread(target=embedder.embed, args=([text],), kwargs={"timeout_s": 10, "urgent": urgent})
            caller.start()
            callers.append(caller)
            while len(embedder._calls) < len(callers) - 1:
                pass
        model.go.set()
        for caller in callers:
            caller.join(PATIENCE_S)
    assert model.batches == [["first"], ["now", "later"]]


def test_one_callers_texts_that_cannot_be_embedded_fail_alone() -> None:
    model = Lengths()
    model.go.clear()
    results: dict[str, object] = {}

    def ask(embedder: Embedder, text: str) -> None:
        try:
            results[text] = embedder.embed([text], timeout_s=10)[0, 0]
        except EmbeddingFailed as error:
            results[text] = error.code

    with running(model) as embedder:
        callers = [threading.Thread(target=ask, args=(embedder, text)) for text in ("a", "b!", "cc")]
        for caller in callers:
            caller.start()
        model.entered.wait(PATIENCE_S)
        model.go.set()
        for caller in callers:
            caller.join(PATIENCE_S)
    assert results == {"a": 1.0, "b!": "embedding-failed", "cc": 2.0}


def test_embed_call_times_out_and_is_dropped() -> None:
    model = Lengths()
    model.go.clear()
    with running(model) as embedder:
        with pytest.raises(PortUnavailable):
            embedder.embed(["a"], timeout_s=0.05)
        with pytest.raises(PortUnavailable):
            embedder.embed(["b"], timeout_s=0.05)
        model.go.set()
        assert embedder.embed(["ccc"], timeout_s=10)[0, 0] == 3.0
        assert embedder.healthy()
    assert ["b"] not in model.batches


def test_after_the_end_nothing_is_taken() -> None:
    embedder = Embedder(Lengths())
    embedder.start()
    assert embedder.drain(PATIENCE_S)
    with pytest.raises(PortUnavailable):
        embedder.embed(["a"], timeout_s=1)
