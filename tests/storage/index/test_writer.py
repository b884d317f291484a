"""Guarantees of the writer: no duplicates, no leftovers, small files, despite crashes in between."""

import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from quire.models.cdom.search import SearchMode
from quire.storage.index.opened import open_writer
from quire.storage.index.table.entries import parse_scope, scope_name, split_key
from quire.storage.index.vectors.table_vectors import TableVectors
from quire.storage.jobs.lifecycle import delete_document
from quire.storage.upkeep.erase import purge_some
from quire.storage.values.crash_points import CrashPoint
from quire.storage.values.errors import StoreUnavailable
from tests.storage.index.library import Library, count_versions, embed, entries, masked_rows
from tests.storage.scenes import ACME, ACTOR

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_a_generation_written_twice_is_there_once(either: Library) -> None:
    claimed = either.claim()
    for _ in range(3):
        either.index(claimed, "apples ripen", "pears too")
    either.finish(claimed)
    assert either.writer.generations() == {(claimed.document_id, claimed.attempt): ("acme/default", 2)}
    for mode in SearchMode:
        assert len(either.ask("apples ripen pears", mode)) == 2


@pytest.mark.parametrize("texts", [["apples fall"], ["apples fall", "plums", "nuts", "figs"], []])
def test_replaced_generation_has_only_its_new_chunks(either: Library, texts: list[str]) -> None:
    other = either.publish("apples elsewhere")
    claimed = either.publish("apples ripen", "pears", "apples rot")
    for mode in SearchMode:
        assert len(either.ask("apples", mode, limit=9)) >= 3
    either.writer.write([replace(entries(ACME, claimed.document_id, claimed.attempt, texts), replace=True)])
    for mode in SearchMode:
        shown = [hit.text for hit in either.ask("apples pears plums", mode, limit=9)]
        assert sorted(shown) == sorted(set(shown))
        assert set(shown) <= {"apples elsewhere", *texts}
        assert {"apples elsewhere", *(text for text in texts if text != "nuts" and text != "figs")} <= set(shown)
    counted = {key: count for key, (_, count) in either.writer.generations().items()}
    expected = {(other.document_id, other.attempt): 1, (claimed.document_id, claimed.attempt): len(texts)}
    assert counted == {key: count for key, count in expected.items() if count}


@pytest.mark.parametrize("seed", range(20))
def test_document_written_in_slices_is_found_as_a_whole(library: Library, seed: int) -> None:
    drawn = random.Random(seed)
    texts = [f"apples {drawn.choice(['ripen', 'rot', 'fall'])} {number}" for number in range(drawn.randint(4, 30))]
    claimed = library.claim()
    whole = entries(ACME, claimed.document_id, claimed.attempt, texts)
    assert whole.vectors is not None
    for last_write in (False, True):  # the first write ends early and begins anew, as after a lost answer
        start = 0
        while start < len(texts) and (last_write or start < len(texts) // 2):
            end = start + drawn.randint(1, 8)
            part = replace(whole, chunks=whole.chunks[start:end], vectors=whole.vectors[start:end])
            library.writer.write([part])
            if drawn.random() < 0.3:
                library.ask("apples")  # searchers read what is there so far
            start = end
    library.finish(claimed, len(texts))
    for mode in SearchMode:
        assert sorted(hit.text for hit in library.ask("apples", mode, limit=50)) == sorted(texts)


def test_a_second_generation_does_not_touch_the_published_one(library: Library) -> None:
    claimed = library.publish("apples ripen", "apples rot")
    library.ask("apples")
    second = replace(entries(ACME, claimed.document_id, claimed.attempt + 1, ["apples fall"]), replace=True)
    library.writer.write([second])
    for mode in SearchMode:
        assert sorted(hit.text for hit in library.ask("apples", mode)) == ["apples ripen", "apples rot"]


@pytest.mark.parametrize("point", [CrashPoint.AFTER_INDEX_ROWS, CrashPoint.AFTER_KEYWORDS])
def test_a_killed_writer_loses_and_doubles_nothing(library: Library, dsn: str, point: CrashPoint) -> None:
    library.publish("pears fall")
    claimed = library.claim()
    library.close()
    _die(library, claimed.document_id, point)
    library.writer = open_writer(library.place)
    library.writer.catch_up()
    library.index(claimed, "apples ripen", "apples fall")
    library.finish(claimed)
    for mode in SearchMode:
        texts = sorted(hit.text for hit in library.ask("apples ripen", mode) if "apples" in hit.text)
        assert texts == ["apples fall", "apples ripen"], mode
    assert library.writer.generations()[claimed.document_id, claimed.attempt] == ("acme/default", 2)


def _die(library: Library, document_id: str, point: CrashPoint) -> None:
    place = library.place
    command = [sys.executable, "-m", "tests.storage.index.dying", place.uri, str(place.keywords), document_id, point]
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_no_byte_of_an_erased_document_is_left_in_any_file(either: Library) -> None:
    others = [either.publish(*(f"ordinary words {number} {n}" for n in range(20))) for number in range(3)]
    gone = either.publish(*(f"xylocanthus {n}" for n in range(2)))
    delete_document(either.store.db, ACME, ACTOR, gone.document_id)
    either.writer.erase([(ACME, gone.document_id)])
    upkeep = either.writer.upkeep
    assert (masked_rows(upkeep), count_versions(upkeep)) == (0, 1)
    assert not _keyword_known(either, "xylocanthus")
    assert {document for document, _ in either.writer.generations()} == {other.document_id for other in others}
    assert len(either.ask("ordinary words 1 3")) == 5


def _keyword_known(library: Library, word: str) -> bool:
    """Return True when the text is in the keyword index: in a file, or (the row store may compress) as a term."""
    stored = any(word.encode() in path.read_bytes() for path in library.place.keywords.rglob("*") if path.is_file())
    view = library.reader.keywords.view(ACME)
    assert view is not None
    return stored or view.rarity("text_en", word)[0] > 0


def test_unerased_table_still_holds_the_text(library: Library) -> None:
    """The check above can fail: before erasing, the masked rows and the words are there."""
    library.publish(*(f"ordinary {n}" for n in range(50)))
    gone = library.publish("xylocanthus")
    library.writer.table.remove_documents({gone.document_id})
    assert count_versions(library.writer.upkeep) > 1
    assert _keyword_known(library, "xylocanthus")


def test_an_erased_document_may_come_again(library: Library) -> None:
    claimed = library.publish("apples ripen")
    library.writer.erase([(ACME, claimed.document_id)])
    assert library.ask("apples") == []
    library.index(claimed, "apples ripen")
    assert len(library.ask("apples")) == 1


def test_readers_continue_while_old_versions_are_dropped(library: Library) -> None:
    library.publish("apples ripen")
    assert len(library.ask("apples")) == 1
    for number in range(5):
        doomed = library.publish(f"pears {number}")
        library.writer.erase([(ACME, doomed.document_id)])
        assert [hit.text for hit in library.ask("apples pears")] == ["apples ripen"]


def test_a_keyword_index_that_is_gone_comes_back_from_the_table(library: Library) -> None:
    library.publish("apples ripen")
    library.close()
    for state in library.place.keywords.glob("*/state.json"):
        state.unlink()
    library.writer.catch_up()
    assert [hit.mode for hit in library.ask("apples", SearchMode.FTS)] == [SearchMode.FTS]
    assert library.writer.rebuild() == 1
    assert len(library.ask("apples", SearchMode.FTS)) == 1


def test_the_directory_stays_small_while_documents_are_replaced(library: Library) -> None:
    kept = [library.publish(*(f"line {number} {n} " + "word " * 60 for n in range(40))) for number in range(5)]
    for round_ in range(30):
        claimed = kept[round_ % 5]
        library.writer.write([entries(ACME, claimed.document_id, 100 + round_, [f"again {round_}"] * 40)])
        library.writer.retire([(claimed.document_id, 100 + round_)], [ACME])
    folder = Path(library.place.uri)
    before = size_of(folder)
    library.writer.compact()
    assert size_of(folder) <= before
    assert len(library.ask("line 2 3 word")) == 5
    assert count_versions(library.writer.upkeep) <= 3


def test_names_of_scopes_and_keys_come_back_as_they_went() -> None:
    assert parse_scope(scope_name(ACME)) == ACME
    assert split_key("doc_a.12.3") == ("doc_a", 12, 3)


def test_a_purge_forgets_the_index_before_anything_else(library: Library) -> None:
    gone = library.publish("xylocanthus")
    delete_document(library.store.db, ACME, ACTOR, gone.document_id)

    def broken(due: object) -> None:
        raise StoreUnavailable("away")

    with pytest.raises(StoreUnavailable):
        purge_some(library.store, erase_index=broken)
    assert library.store.artifacts.attempts(gone.document_id) == [gone.attempt]
    assert purge_some(library.store, erase_index=library.writer.erase) == 1
    assert library.writer.generations() == {}
    assert library.store.artifacts.attempts(gone.document_id) == []


@pytest.mark.parametrize("quantised_from", [301, 300])
def test_parts_of_the_vector_index_stay_few(
    library: Library, monkeypatch: pytest.MonkeyPatch, quantised_from: int
) -> None:
    monkeypatch.setattr("quire.storage.index.writer.VECTOR_INDEX_FROM", 300)
    monkeypatch.setattr("quire.storage.index.writer.QUANTISED_FROM", quantised_from)
    monkeypatch.setattr("quire.storage.index.table.upkeep.MOST_PARTS", 2)
    library.publish(*(f"apples {number}" for number in range(300)))
    assert library.writer.index_vectors()
    assert library.writer.table.has_quantised_index() is (quantised_from == 300)
    library.reader.prewarm()
    parts = []
    for number in range(4):
        library.publish(f"pears {number}")
        assert library.writer.compact()
        parts.append(library.writer.upkeep.vector_parts())
    assert max(parts) == 2
    assert library.ask("pears 3", SearchMode.VECTOR)[0].text.startswith("pears")


def test_growing_table_gets_a_quantised_index_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.storage.index.writer.VECTOR_INDEX_FROM", 300)
    monkeypatch.setattr("quire.storage.index.writer.QUANTISED_FROM", 400)
    library.publish(*(f"apples {number}" for number in range(300)))
    assert library.writer.index_vectors()
    assert not library.writer.index_vectors()
    library.publish(*(f"plums {number}" for number in range(100)))
    assert library.writer.index_vectors()
    assert library.writer.table.has_quantised_index()
    assert not library.writer.index_vectors()
    vectors = TableVectors(library.writer.table, ACME)
    (vector,) = embed(["plums 7"])
    hits = vectors.nearest(vector, 5)
    assert hits[0][1] == pytest.approx(1.0, abs=1e-3)
    assert [cosine for _, cosine in hits] == sorted((cosine for _, cosine in hits), reverse=True)
    exact = [float(found @ vector) for found in vectors.vectors([key for key, _ in hits])]
    assert exact == pytest.approx([cosine for _, cosine in hits], abs=1e-3)


def test_vectors_are_found_by_text_in_the_named_documents_only(either: Library) -> None:
    first, second = either.publish("apples ripen", "pears"), either.publish("plums")
    known = either.writer.find_vectors(ACME, [first.document_id], ["plums", "pears", "nuts", "apples ripen"])
    assert list(known.indices) == [1, 3]
    found = either.writer.find_vectors(ACME, [second.document_id], ["plums"])
    assert [float(vector @ vector) for vector in found.vectors] == [pytest.approx(1.0, abs=1e-3)]
    foreign = either.writer.find_vectors(replace(ACME, org="other"), [first.document_id], ["pears"])
    assert list(foreign.indices) == []
