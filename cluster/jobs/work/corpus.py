"""Sources of the chunks of an export: a folder of trees, or a service's store.

`documents` lists them in the order of the export; a `Cutter` cuts one. Workers open their own from plain values.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from pydantic import ValidationError

from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.jobs.work.folders import open_folder
from quire.cluster.jobs.work.patience import patiently
from quire.cluster.jobs.work.service import Service, with_store
from quire.models.cdom.chunk import Chunk
from quire.models.cdom.tree import Tree, load_tree
from quire.models.derive.chunks.chunking import chunker_name, settings_of
from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.serve_apps.api.documents.redacting import redact_for
from quire.storage.jobs.corpus import list_corpus
from quire.storage.objects.artifacts import TREE
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, Scope


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document: `name` in the records, `place` of its tree, and `version` on which its chunks depend."""

    name: str
    place: str
    version: str = ""


class Corpus(Protocol):
    """Documents to export, as plain values that travel to the workers."""

    @property
    def cpus(self) -> float:
        """CPUs that a worker reserves."""

    def salt(self) -> str:
        """Return the values on which the chunks of every document depend."""

    def documents(self) -> list[CorpusDocument]:
        """Return the documents in the order of the export."""

    def open(self) -> "Cutter":
        """Return a cutter for one worker."""


class Cutter(Protocol):
    """Cuts documents into chunks, for one worker."""

    def __call__(self, document: CorpusDocument) -> list[Chunk]:
        """Return a document's chunks; none if it is deleted or not a tree."""

    def close(self) -> None:
        """Close the source."""


@dataclass(frozen=True, slots=True)
class FolderCorpus:
    """Trees as `quire extract` and `bulk_extract` write them: of an output folder of the job only its trees."""

    url: str

    @property
    def cpus(self) -> float:
        """CPUs that a worker reserves."""
        return 1.0

    def salt(self) -> str:
        """Return the version of the chunker."""
        return chunker_name()

    def documents(self) -> list[CorpusDocument]:
        """Return the documents in the order of names. Raises `NotADirectoryError`."""
        files = sorted((name, size) for name, size in open_folder(self.url).names() if name.endswith(".json"))
        made = [entry for entry in files if entry[0].startswith("tree/")]
        if not made:
            return [CorpusDocument(PurePosixPath(name).stem, name, str(size)) for name, size in files]
        return [
            CorpusDocument(name.removeprefix("tree/").removesuffix(".json"), name, str(size)) for name, size in made
        ]

    def open(self) -> Cutter:
        """Return a cutter for one worker."""
        return FolderCutter(self)


class FolderCutter:
    """A `Cutter`."""

    def __init__(self, corpus: FolderCorpus) -> None:
        self._folder, self._tokenizer = open_folder(corpus.url), load_tokenizer()

    def __call__(self, document: CorpusDocument) -> list[Chunk]:
        """Return a document's chunks; none if it is deleted or not a tree."""
        try:
            tree = load_named_tree(self._folder.read(document.place))
        except (ValidationError, ValueError, FileNotFoundError):
            return []
        return chunk_tree(tree, self._tokenizer)

    def close(self) -> None:
        """Do nothing: no file stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCorpus:
    """An organisation's published documents, or one job's, cut as the API cuts them. `redacted`: as people decided."""

    service: Service
    scope: Scope
    job_id: str | None = None
    redacted: bool = False
    run: str = ""
    """Part of the salt, so that masked chunks of one run are never used by another."""

    @property
    def cpus(self) -> float:
        """CPUs that a worker reserves."""
        return self.service.cpus

    def salt(self) -> str:
        """Return the values on which the chunks of every document depend."""
        return json.dumps([chunker_name(), self.scope.tenant, self.scope.org, self.redacted, self.run])

    def documents(self) -> list[CorpusDocument]:
        """Return the documents, oldest job first. Raises `StorageError`."""
        trees = with_store(self.service.runtime(), lambda store: list(list_corpus(store.db, self.scope, self.job_id)))
        return [CorpusDocument(tree.document_id, str(tree.attempt), tree.chunker or "") for tree in trees]

    def open(self) -> Cutter:
        """Return a cutter for one worker."""
        return ServiceCutter(self)


class ServiceCutter:
    """A `Cutter`. Raises `StorageError`, and `PiiIncomplete` for a document to redact that was never searched."""

    def __init__(self, corpus: ServiceCorpus) -> None:
        self._store, self._tokenizer = open_runtime_store(corpus.service.runtime()), load_tokenizer()
        self._redacted = corpus.redacted

    def __call__(self, document: CorpusDocument) -> list[Chunk]:
        """Return a document's chunks; none if it was deleted."""
        document_id = DocumentId(document.name)
        try:
            stored = patiently(lambda: self._store.artifacts.read(document_id, int(document.place), TREE))
        except NotFound:  # deleted meanwhile
            return []
        tree = load_tree(stored)
        if self._redacted:
            tree = redact_for(self._store, document_id, tree)
        return chunk_tree(tree, self._tokenizer, settings_of(document.version or None, ChunkSettings()))

    def close(self) -> None:
        """Close the store."""
        self._store.close()


def load_named_tree(stored: bytes) -> Tree:
    """Return a tree from the output of `quire extract`, which adds the file's name to it."""
    facts = json.loads(stored)
    facts["source"].pop("name", None)
    facts.pop("document_id", None)
    return load_tree(json.dumps(facts).encode())


def cut_groups(documents: list[CorpusDocument], mean: int, most: int) -> Iterator[list[CorpusDocument]]:
    """Yield runs of documents that end by a document's own name, so that a new document changes one group only."""
    group: list[CorpusDocument] = []
    for document in documents:
        group.append(document)
        if len(group) >= most or _ends_group(document.name, mean):
            yield group
            group = []
    if group:
        yield group


def _ends_group(name: str, mean: int) -> bool:
    return zlib.crc32(name.encode(errors="surrogateescape")) % mean == 0
