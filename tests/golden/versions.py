"""Compares `READER_VERSION` with the recorded trees: one version per release whose trees differ from the last one."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.version import READER_VERSION
from quire.models.extract.registry import open_document
from tests.golden.made import make_documents
from tests.golden.pages import PageDigest, digest_page
from tests.golden.trees import FOLDER

ROOT = FOLDER.parents[1]
REAL, MADE = FOLDER / "pages.json", FOLDER / "made_pages.json"
VERSIONS = FOLDER / "reader_versions.json"
"""The reader version of the last release, and of each version the digest of its weights and recorded trees."""


def read_made_pages() -> Iterator[PageDigest]:
    """Read all pages of the documents that the repository has."""
    for name, data in make_documents().items():
        for number in open_document(data, ReadOptions()).facts.page_numbers:
            yield digest_page(data, number, name)


def digest_record() -> str:
    """Return the SHA-256 over the weights of the reader and the recorded trees."""
    digest = hashlib.sha256()
    for path in [*sorted((ROOT / "models").glob("extract/**/*.npz")), REAL, MADE]:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def find_fault(
    record: dict[str, Any] | None = None, version: int = READER_VERSION, digest: str | None = None
) -> str | None:
    """Return what is wrong with the reader version, or None."""
    record = record or json.loads(VERSIONS.read_text())
    digest, released = digest or digest_record(), record["released"]
    if version not in (released, released + 1):
        return f"READER_VERSION is {version}; the last release has {released}, and one cycle raises it at most by one"
    if record["digests"].get(str(version)) == digest:
        return None
    if version == released:
        return (
            f"weights or recorded trees differ from the last release: raise READER_VERSION to {released + 1} in "
            "models/cdom/version.py, then run `make golden WRITE=1`"
        )
    return "weights or recorded trees differ from the record of this version: run `make golden WRITE=1`"


def write_digest() -> None:
    """Record the digest of a version that no release has yet. That of a released version stays."""
    record = json.loads(VERSIONS.read_text())
    if record["released"] < READER_VERSION:
        record["digests"][str(READER_VERSION)] = digest_record()
        VERSIONS.write_text(json.dumps(record, indent=1) + "\n")
