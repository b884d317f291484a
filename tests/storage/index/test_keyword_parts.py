"""A scope's keyword index is cut into parts: each question meets all of them, erasing rebuilds those concerned only."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.storage.index.keyword.analysis import ask
from quire.storage.index.keyword.keyword_files import KeywordFiles
from quire.storage.index.keyword.keywords import Keywords, KeywordView
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk
from quire.storage.values.rows import DocumentId, Scope

ACME = Scope(tenant="acme")
PART = 5
LOCK = threading.Lock()


class Shelf:
    """A table and its keyword index, whose parts are full at five chunks."""

    def __init__(self, folder: Path) -> None:
        self.table = ChunkTable(str(folder / "table"), width=2)
        self.keywords = Keywords(folder / "keywords")
        self.files = KeywordFiles(self.keywords, self.table, part_chunks=PART)

    def write(self, document: str, *texts: str, generation: int = 1, replace: bool = False) -> None:
        chunks = [IndexedChunk(index=at, chunk_id=f"c{at}", text=text) for at, text in enumerate(texts)]
        vectors = np.zeros((len(texts), 2), dtype=np.float32)
        one = DocumentChunks(
            scope=ACME, document_id=DocumentId(document), generation=generation, chunks=chunks, vectors=vectors,
            replace=replace,
        )  # fmt: skip
        self.table.put([one])
        self.files.follow(ACME, [(document, generation)] if replace and not texts else [])

    def erase(self, *documents: str) -> None:
        self.table.remove_documents(documents)
        self.files.erase_words(ACME, "document", documents, LOCK)

    def view(self) -> KeywordView:
        view = self.keywords.view(ACME)
        assert view is not None
        return view

    def builds(self) -> list[int]:
        state = self.keywords.state(ACME)
        assert state is not None
        return [part.build for part in state.parts]

    def found(self, words: str, limit: int = 100) -> list[str]:
        return [key for key, _ in self.view().search(ask(words, self.view().fields), limit)]

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.keywords.folder(ACME).glob("b*"))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path)
    yield made
    made.files.close()


def test_every_part_answers_and_a_full_part_takes_no_rows(shelf: Shelf) -> None:
    for number in range(12):
        shelf.write(f"d{number}", f"apples {number}", f"pears {number}")
    assert len(shelf.builds()) == 4
    assert len(shelf.found("apples")) == 12
    assert len(shelf.found("apples", limit=7)) == 7
    rows = shelf.view().rows(["d0.1.0", "d11.1.1", "d5.1.0", "none.1.0"])
    assert {key: row["text"] for key, row in rows.items()} == {
        "d0.1.0": "apples 0", "d11.1.1": "pears 11", "d5.1.0": "apples 5",
    }  # fmt: skip
    assert shelf.view().rarity("text_en", "appl") == (12, 24)


def test_erasing_a_document_rebuilds_only_its_part(shelf: Shelf) -> None:
    for number in range(12):
        shelf.write(f"d{number}", f"apples {number}", f"xylocanthus {number}")
    before = shelf.builds()
    shelf.erase("d1")
    after = shelf.builds()
    assert [build for build in before if build not in after] == [before[0]]
    assert shelf.view().rarity("text_en", "xylocanthus") == (11, 22)
    assert shelf.folders() == sorted(f"b{build}" for build in after)


def test_an_earlier_generation_in_another_part_goes_with_its_document(shelf: Shelf) -> None:
    shelf.write("d0", *(f"xylocanthus {at}" for at in range(PART)))
    shelf.write("d1", *(f"apples {at}" for at in range(PART)))
    shelf.write("d0", "pears", generation=2)
    shelf.erase("d0")
    assert shelf.view().rarity("text_en", "xylocanthus") == (0, PART)
    assert shelf.found("xylocanthus pears") == []


def test_parts_left_nearly_empty_join_and_an_empty_one_goes(shelf: Shelf) -> None:
    for number in range(15):
        shelf.write(f"d{number}", f"apples {number}")
    assert len(shelf.builds()) == 3
    for number in (*range(4), *range(5, 9), *range(10, 15)):
        shelf.erase(f"d{number}")
    assert len(shelf.builds()) == 1
    assert shelf.found("apples") == ["d4.1.0", "d9.1.0"]
    shelf.write("d20", "apples again")
    assert len(shelf.found("apples")) == 3


def test_erasing_documents_of_many_parts_rebuilds_them_in_parallel(shelf: Shelf) -> None:
    for number in range(30):
        shelf.write(f"d{number}", f"apples {number}", f"xylocanthus {number}")
    before = shelf.builds()
    gone = [f"d{number}" for number in (0, *range(3, 12), *range(15, 18), 21)]
    shelf.erase(*gone)
    after = shelf.builds()
    assert len(before) == 10
    assert set(before) & set(after) == {before[at] for at in (4, 6, 8, 9)}
    assert len(after) == 6, "nothing is left of the second to the fourth part and of the sixth"
    assert shelf.view().rarity("text_en", "xylocanthus") == (16, 32)
    assert set(shelf.found("apples")) == {f"d{number}.1.0" for number in range(30) if f"d{number}" not in gone}
    assert shelf.folders() == sorted(f"b{build}" for build in after)


def test_a_whole_rebuild_cuts_the_table_into_the_same_parts(shelf: Shelf) -> None:
    for number in range(12):
        shelf.write(f"d{number}", f"apples {number}", f"pears {number}")
    shelf.files.rebuild(ACME, LOCK)
    assert len(shelf.builds()) == 4
    assert len(shelf.folders()) == 4
    assert len(shelf.found("apples")) == 12


def test_repeated_rows_after_a_crash_are_indexed_once(shelf: Shelf) -> None:
    """The words were committed and the state was not: the next follow takes the same batch again."""
    shelf.write("d0", "apples 0")
    folder = shelf.keywords.folder(ACME)
    said = (folder / "state.json").read_bytes()
    shelf.write("d1", "apples 1")
    shelf.files.close()
    (folder / "state.json").write_bytes(said)
    again = KeywordFiles(Keywords(shelf.keywords.root), shelf.table, part_chunks=PART)
    again.follow(ACME)
    again.close()
    assert Keywords(shelf.keywords.root).view(ACME).rarity("text_en", "appl") == (2, 2)  # type: ignore[union-attr]


WORDS = st.lists(st.sampled_from(["apples", "pears", "plums"]), min_size=1, max_size=7)
STEPS = st.lists(st.tuples(st.sampled_from(["write", "replace", "erase"]), st.integers(0, 4), WORDS), max_size=8)


@settings(max_examples=6)
@given(steps=STEPS)
def test_index_equals_table_after_any_steps(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, list[str]]]
) -> None:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"))
    shelf.write("kept", "apples pears plums")
    for generation, (kind, number, words) in enumerate(steps, start=2):
        if kind == "erase":
            shelf.erase(f"d{number}")
        else:
            replaces = kind == "replace"
            shelf.write(f"d{number}", *words, generation=1 if replaces else generation, replace=replaces)
    held = shelf.table.texts_of(ACME)
    texts = dict(zip(held["key"].to_pylist(), held["text"].to_pylist(), strict=True))
    for word in ("apples", "pears", "plums"):
        assert sorted(shelf.found(word)) == sorted(key for key, text in texts.items() if word in text)
    shelf.files.close()
