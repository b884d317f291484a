"""Texts of many callers in one queue: ordered, urgent first, and an error stays with its caller."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from quire.actors.search.embedder import BATCH_TEXTS, SHARE_TEXTS, STUCK_S, Embedder
from quire.models import fair_time
from quire.models.cdom.ports import EmbeddingFailed, PortUnavailable
from quire.storage.index.table.entries import Vectors
from quire.storage.values.errors import LostLease
from tests.waiting import PATIENCE_S, until


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
        vectors = embedder.embed(texts)
    assert vectors[:, 0].tolist() == [float(len(text)) for text in texts]


def test_embedder_batches_waiting_texts_with_urgent_ones_first() -> None:
    model = Lengths()
    model.go.clear()
    with running(model) as embedder:
        callers = [threading.Thread(target=embedder.embed, args=(["first"],))]
        callers[0].start()
        model.entered.wait(PATIENCE_S)
        for text, urgent in (("later", False), ("now", True)):
            caller = threading.Thread(target=embedder.embed, args=([text],), kwargs={"urgent": urgent})
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
            results[text] = embedder.embed([text])[0, 0]
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


def test_caller_that_gives_up_is_dropped() -> None:
    model = Lengths()
    model.go.clear()

    def give_up() -> None:
        raise LostLease("doc_1")

    with running(model) as embedder:
        for text in ("a", "b"):
            with pytest.raises(LostLease):
                embedder.embed([text], check=give_up)
        model.go.set()
        assert embedder.embed(["ccc"])[0, 0] == 3.0
        assert embedder.healthy()
    assert ["b"] not in model.batches


@pytest.mark.parametrize("seed", range(24))
def test_short_document_waits_for_a_share_of_long_ones(seed: int) -> None:
    drawn = random.Random(seed)
    long = [(f"t{drawn.randrange(4)}", 64 + drawn.randrange(200)) for _ in range(drawn.randint(1, 12))]
    tenant = drawn.choice(["t0", "new"])
    model = Lengths()
    model.go.clear()
    with running(model) as embedder:
        callers = [threading.Thread(target=embedder.embed, args=(["held"],))]
        callers[0].start()
        assert model.entered.wait(PATIENCE_S)
        for number, (owner, count) in enumerate([*long, (tenant, 1)], 1):
            texts = ["x" * number] * count
            callers.append(threading.Thread(target=embedder.embed, args=(texts,), kwargs={"tenant": owner}))
            callers[-1].start()
            assert until(lambda number=number: len(embedder._calls) == number)  # type: ignore[misc]
        model.go.set()
        for caller in callers:
            caller.join(PATIENCE_S)
    found = next(index for index, batch in enumerate(model.batches) if "x" * (len(long) + 1) in batch)
    tenants = len({owner for owner, _ in long} | {tenant})
    own = sum(owner == tenant for owner, _ in long)
    turns = tenants * (own + 1)  # each tenant gets a turn before each turn of its own
    assert found - 1 <= turns * SHARE_TEXTS // BATCH_TEXTS
    assert max(map(len, model.batches)) <= BATCH_TEXTS


def test_batch_that_does_not_end_is_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    model, seconds = Lengths(), [0.0]
    monkeypatch.setattr(fair_time, "fair_time", lambda: seconds[0])
    model.go.clear()
    with running(model) as embedder:
        callers = [threading.Thread(target=embedder.embed, args=([text] * 20,)) for text in "ab"]
        for caller in callers:
            caller.start()
        assert model.entered.wait(PATIENCE_S)
        assert until(lambda: embedder.state().waiting >= 20)
        seconds[0] = STUCK_S - 1
        assert embedder.healthy()
        seconds[0] = STUCK_S
        assert (embedder.healthy(), embedder.state().standing_s) == (False, STUCK_S)
        model.go.set()
        for caller in callers:
            caller.join(PATIENCE_S)
        assert embedder.healthy()


def test_after_the_end_nothing_is_taken() -> None:
    embedder = Embedder(Lengths())
    embedder.start()
    assert embedder.drain(PATIENCE_S)
    with pytest.raises(PortUnavailable):
        embedder.embed(["a"])
