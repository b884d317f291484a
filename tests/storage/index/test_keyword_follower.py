"""A machine that searches and does not write has keyword indexes too: made from the table, kept in step with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.index.keyword.keyword_files import KeywordFiles
from quire.storage.index.keyword.keyword_follower import KeywordFollower
from quire.storage.index.keyword.keywords import Keywords
from quire.storage.index.table.chunk_table import ChunkTable
from tests.storage.index.test_keyword_parts import ACME, PART, Shelf


class Machine(Shelf):
    """Another machine's folder of the same table, with an adjustable clock."""

    def __init__(self, writer: Shelf, folder: Path) -> None:
        self.table = ChunkTable(str(folder / "table"), width=2)
        self.keywords = Keywords(folder / "elsewhere")
        self.files = KeywordFiles(self.keywords, self.table, part_chunks=PART)
        self.now = 0.0
        self.follower = KeywordFollower(self.files, self.keywords, self.table, lag_s=10, clock=lambda: self.now)

    def wait(self) -> None:
        """Seen to be behind, and long enough so."""
        self.follower.run()
        self.now += 11
        self.follower.run()


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path)
    made.write("d0", "apples", "pears")
    yield made
    made.files.close()


@pytest.fixture
def machine(writer: Shelf, tmp_path: Path) -> Machine:
    return Machine(writer, tmp_path)


def test_follower_finds_words_written_by_another_machine(writer: Shelf, machine: Machine) -> None:
    machine.follower.run()
    assert machine.keywords.view(ACME) is None, "the writer of this machine would have its moment"
    machine.now += 11
    machine.follower.run()
    assert machine.found("apples") == ["d0.1.0"]
    writer.write("d1", "apples")
    machine.wait()
    assert sorted(machine.found("apples")) == ["d0.1.0", "d1.1.0"]
    assert machine.follower.age_s() == 0


def test_follower_age_is_the_time_since_falling_behind(writer: Shelf, machine: Machine) -> None:
    machine.wait()
    writer.write("d1", "plums")
    machine.follower.run()
    machine.now += 7
    assert machine.follower.age_s() == 7


def test_nothing_of_an_erased_document_is_left_here_either(writer: Shelf, machine: Machine) -> None:
    writer.write("d1", *(f"xylocanthus {at}" for at in range(PART)))
    writer.write("d2", *(f"apples {at}" for at in range(PART)))
    machine.wait()
    writer.write("d1", "plums", generation=2)
    machine.wait()
    writer.erase("d1")
    machine.wait()
    assert machine.view().rarity("text_en", "xylocanthus")[0] == 0
    assert machine.found("plums") == []
    assert not any(b"xylocanthus" in path.read_bytes() for path in machine.keywords.root.rglob("*") if path.is_file())


def test_the_index_of_a_tenant_without_chunks_goes(writer: Shelf, machine: Machine) -> None:
    machine.wait()
    writer.erase("d0")
    machine.wait()
    assert machine.keywords.view(ACME) is None


def test_follower_skips_index_that_another_process_writes(writer: Shelf, machine: Machine) -> None:
    with KeywordFiles(machine.keywords, machine.table).lock.held():
        machine.wait()
        assert machine.keywords.view(ACME) is None
    machine.wait()
    assert machine.found("apples") == ["d0.1.0"]
