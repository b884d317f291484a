"""The recorded trees of the repository's documents, and the one rule on raising `READER_VERSION`."""

import hashlib
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.golden import versions
from tests.golden.pages import KINDS, PageDigest, find_documents, list_changes, load_record, save_record

REAL, MADE = load_record(versions.REAL), load_record(versions.MADE)


def test_made_pages_read_as_recorded() -> None:
    read = list(versions.read_made_pages())
    assert list_changes(MADE, read) == [], "run `make golden WRITE=1` if the change is wanted"
    assert [page.place for page in read] == [page.place for page in MADE]


def test_reader_version_fits_the_recorded_trees() -> None:
    assert versions.find_fault() is None


def test_record_holds_enough_pages_of_different_documents() -> None:
    assert (len(REAL), len(MADE)) >= (300, 40)
    assert len({page.document for page in REAL}) == len(REAL)
    assert all(len(page.document) == 64 for page in REAL)


@pytest.mark.parametrize("seed", range(20))
def test_changed_page_is_listed_with_its_kind(seed: int) -> None:
    draw = random.Random(seed)
    kind, index = draw.choice(KINDS), draw.randrange(len(REAL))
    changed: Any = {kind: "0" * 12}
    read = [replace(page, **changed) if number == index else page for number, page in enumerate(REAL)]
    page = REAL[index]
    assert list_changes(REAL, read) == [f"{page.document[:24]} page {page.page}: {kind}"]
    assert list_changes(REAL, [other for other in REAL if other is not page])[0].endswith("not read")


def test_digest_of_each_kind_differs_between_pages() -> None:
    assert all(len({getattr(page, kind) for page in MADE}) > len(MADE) // 3 for kind in KINDS)


@pytest.mark.parametrize(
    ("version", "digest", "fault"),
    [
        (3, "c", None),
        (3, "d", "raise READER_VERSION to 4"),
        (4, "d", None),
        (4, "e", "make golden WRITE=1"),
        (5, "d", "at most by one"),
        (2, "b", "at most by one"),
    ],
)
def test_reader_version_is_raised_once_per_release(version: int, digest: str, fault: str | None) -> None:
    record = {"released": 3, "digests": {"2": "b", "3": "c", "4": "d"}}
    found = versions.find_fault(record, version, digest)
    assert (found is None) if fault is None else (fault in (found or ""))


def test_record_is_written_and_read_alike(tmp_path: Path) -> None:
    page = PageDigest("a" * 64, 2, *KINDS)
    save_record(tmp_path / "pages.json", [page, replace(page, page=3)])
    assert load_record(tmp_path / "pages.json") == [page, replace(page, page=3)]
    assert (tmp_path / "pages.json").read_text().count("\n") == 4


def test_documents_are_found_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    path = tmp_path / "deep" / "renamed.csv"
    path.write_bytes(b"a;b\n")
    (tmp_path / "other.csv").write_bytes(b"a;c\n")
    digest = hashlib.sha256(b"a;b\n").hexdigest()
    assert find_documents([tmp_path], {digest, "0" * 64}) == {digest: path}
