"""In-memory caches of the API: within a budget, the least recently used entry is evicted first."""

from types import SimpleNamespace
from typing import Any, cast

from quire.models.cdom.tree import BlockType, dump_tree
from quire.serve_apps.api.context.drawn_pictures import DrawnPictures
from quire.serve_apps.api.context.kept import KEPT_S
from quire.serve_apps.api.context.parsed_trees import ParsedTrees
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId
from tests.builders import make_block, make_tree

STORED = dump_tree(make_tree(make_block(BlockType.PARAGRAPH, "text")))


class CountedArtifacts:
    """Artifacts that are all the same tree; `read_ids` are the documents that were asked for."""

    def __init__(self) -> None:
        self.read_ids: list[str] = []

    def read(self, document_id: str, *_: Any) -> bytes:
        self.read_ids.append(document_id)
        return STORED


def read(trees: ParsedTrees, *names: str) -> list[str]:
    """The documents that had to be read from the store."""
    artifacts = CountedArtifacts()
    store = cast(Store, SimpleNamespace(artifacts=artifacts))
    for name in names:
        trees.get(store, DocumentId(name), 1)
    return artifacts.read_ids


def test_cached_tree_is_parsed_once() -> None:
    trees = ParsedTrees(budget=2 * len(STORED))
    assert read(trees, "a", "b", "a", "b") == ["a", "b"]
    assert read(trees, "c", "b", "a") == ["c", "a"]


def test_a_tree_of_half_the_budget_is_not_kept() -> None:
    assert read(ParsedTrees(budget=2 * len(STORED) - 1), "a", "a") == ["a", "a"]


def test_parsed_tree_is_evicted_when_unused() -> None:
    now = [0.0]
    trees = ParsedTrees(budget=8 * len(STORED), clock=lambda: now[0])
    assert read(trees, "a", "b") == ["a", "b"]
    now[0] = KEPT_S - 1
    assert read(trees, "a") == []
    now[0] = KEPT_S + 1
    assert read(trees, "c") == ["c"]
    assert len(trees) == 2
    now[0] = 2 * KEPT_S - 2
    assert read(trees, "a", "b") == ["b"]


def test_pictures_are_kept_within_the_budget() -> None:
    pictures = DrawnPictures(budget=8)
    keys = [(DocumentId("d"), 1, f"p{n}") for n in range(6)]
    for key in keys:
        pictures.keep(key, b"ab")
    pictures.keep(keys[0], b"abc")
    assert [pictures.get(key) for key in keys] == [None, None, b"ab", b"ab", b"ab", b"ab"]


def test_drawn_picture_is_evicted_when_unused() -> None:
    now = [0.0]
    pictures = DrawnPictures(budget=8, clock=lambda: now[0])
    key = (DocumentId("d"), 1, "p1")
    pictures.keep(key, b"ab")
    now[0] = KEPT_S - 1
    assert pictures.get(key) == b"ab"
    now[0] = 2 * KEPT_S - 2
    assert pictures.get(key) == b"ab"
    now[0] = 3 * KEPT_S
    assert pictures.get(key) is None
