"""Sync is exact: after each one the live documents are the files."""

import os
import random
from pathlib import Path

from quire.storage.sources.removed_files import EarlierVersion, delete_retired, find_earlier
from quire.storage.sources.sources import AccessRule, list_sources
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId
from tests.storage.scenes import ACME
from tests.storage.sources.place import Place


def test_only_new_and_changed_files_are_taken_and_removed_ones_go(place: Place) -> None:
    for name in ("a.pdf", "b/b.pdf", "b/c/ç.pdf"):
        place.write(name)
    assert place.counts() == (3, 0, 0, 0)
    place.read_all()
    assert place.counts() == (0, 0, 0, 3)
    place.write("a.pdf", "new content")
    (place.root / "b/b.pdf").unlink()
    place.write("d.pdf")
    assert place.counts() == (1, 1, 1, 1)
    place.read_all()
    assert place.live() == place.expected()
    assert place.counts() == (0, 0, 0, 3)


def test_an_earlier_version_stays_until_its_successor_is_finished(place: Place) -> None:
    place.write("a.pdf", "one")
    place.counts()
    place.read_all()
    [first] = find_live(place)
    place.write("a.pdf", "two")
    assert place.counts() == (0, 1, 0, 0)
    delete_retired(place.store.db)
    second = next(document for document in find_live(place) if document != first)
    assert find_earlier(place.store.db, second) == EarlierVersion(first, 1)
    assert find_earlier(place.store.db, first) is None
    place.read_all()
    assert find_live(place) == [second]
    assert find_earlier(place.store.db, second) is None


def test_rules_set_the_principals_of_documents_by_path(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "papers"
    root.mkdir()
    rules = [AccessRule("hr/*", ("group:hr",)), AccessRule("*.txt", ("group:all",))]
    place = Place(store, root, access=rules)
    for name in ("hr/a.txt", "b.txt", "c.pdf"):
        place.write(name)
    place.sync()
    rows = store.db.fetch_all("select source_file, principals from documents order by source_file")
    assert [(row["source_file"], row["principals"]) for row in rows] == [
        ("a.txt", ["group:hr"]), ("b.txt", ["group:all"]), ("c.pdf", None),
    ]  # fmt: skip
    assert list_sources(store.db, ACME)[0].access == tuple(rules)


def find_live(place: Place) -> list[DocumentId]:
    rows = place.store.db.fetch_all("select id from documents where deleted_at is null order by created_at")
    return [DocumentId(row["id"]) for row in rows]


def test_changed_bytes_of_equal_size_and_time_are_a_change(place: Place) -> None:
    file = place.write("a.pdf", "one")
    facts = file.stat()
    place.counts()
    place.read_all()
    file.write_text("two")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert place.counts() == (0, 1, 0, 0)
    os.utime(file)
    assert place.counts() == (0, 0, 0, 1)
    file.rename(place.root / "b.pdf")
    place.read_all()
    assert place.counts() == (1, 0, 1, 0)


def test_random_changes_always_end_with_the_documents_that_are_the_files(place: Place) -> None:
    chance = random.Random(11)
    for _ in range(12):
        for _ in range(6):
            file = place.root / f"{chance.randrange(3)}/{chance.randrange(4)}.pdf"
            file.parent.mkdir(exist_ok=True)
            act = chance.randrange(3)
            if act == 0 and file.exists():
                file.unlink()
            else:
                file.write_text(str(chance.random()))
        place.sync()
        if chance.random() < 0.7:
            place.read_all()
        assert place.counts()[:3] == (0, 0, 0)
    place.read_all()
    assert place.live() == place.expected()


def test_jobs_hold_at_most_200_documents(place: Place) -> None:
    for n in range(205):
        place.write(f"{n}.pdf")
    report = place.sync()
    assert (report.added, len(report.job_ids)) == (205, 2)
    assert list_sources(place.store.db, ACME)[0].last_sync is not None


def test_globs_choose_and_files_no_longer_chosen_are_removed(store: Store, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    place = Place(store, tmp_path / "root", include=["*.pdf"], exclude=["drafts/*"])
    for name in ("a.pdf", "b.txt", "drafts/c.pdf", "deep/down/d.pdf"):
        place.write(name)
    assert place.counts() == (2, 0, 0, 0)
