"""Where the chunks of an export come from: a folder of trees, or a service's store.

`documents` lists them in the order of the export; `chunks` cuts one. Workers make their own from plain values.
"""

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from pydantic import ValidationError

from cluster.bootstrap.opening import open_runtime_store
from cluster.jobs.work.folders import open_folder
from cluster.jobs.work.patience import patiently
from cluster.jobs.work.service import Service, with_store
from models.cdom.chunk import Chunk
from models.cdom.tree import Tree, load_tree
from models.derive.chunks.chunking import chunker_name, settings_of
from models.derive.chunks.chunks import ChunkSettings, chunk_tree
from models.neural.embed.tokenizer import load_tokenizer
from serve_apps.api.documents.redacting import redact_for
from storage.jobs.corpus import list_corpus
from storage.objects.artifacts import TREE
from storage.values.errors import NotFound
from storage.values.rows import DocumentId, Scope


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """`name` is what records call it, `place` where its tree lies, `version` what its chunks depend on besides."""

    name: str
    place: str
    version: str = ""


class Corpus(Protocol):
    """Travels to the workers. `salt`: what the chunks of every document depend on."""

    @property
    def cpus(self) -> float: ...
    def salt(self) -> str: ...
    def documents(self) -> list[CorpusDocument]: ...
    def open(self) -> "Cutter": ...


class Cutter(Protocol):
    """One worker's way to a document's chunks; none for what is gone or no tree."""

    def __call__(self, document: CorpusDocument) -> list[Chunk]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class FolderCorpus:
    """Trees as `quire extract` and `bulk_extract` write them: of an output folder of the job only its trees."""

    url: str

    @property
    def cpus(self) -> float:
        return 1.0

    def salt(self) -> str:
        return chunker_name()

    def documents(self) -> list[CorpusDocument]:
        """In the order of names. Raises `NotADirectoryError`."""
        found = sorted((name, size) for name, size in open_folder(self.url).names() if name.endswith(".json"))
        made = [entry for entry in found if entry[0].startswith("tree/")]
        return [CorpusDocument(PurePosixPath(name).stem, name, str(size)) for name, size in made or found]

    def open(self) -> Cutter:
        return FolderCutter(self)


class FolderCutter:
    """A `Cutter`."""

    def __init__(self, corpus: FolderCorpus) -> None:
        self._folder, self._tokenizer = open_folder(corpus.url), load_tokenizer()

    def __call__(self, document: CorpusDocument) -> list[Chunk]:
        try:
            tree = load_named_tree(self._folder.read(document.place))
        except (ValidationError, ValueError, FileNotFoundError):
            return []
        return chunk_tree(tree, self._tokenizer)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCorpus:
    """An organisation's published documents, or one job's, cut as the API cuts them. `redacted`: as people decided."""

    service: Service
    scope: Scope
    job_id: str | None = None
    redacted: bool = False
    run: str = ""
    """Part of the salt: what was masked in one run is not taken for what is masked in another."""

    @property
    def cpus(self) -> float:
        return self.service.cpus

    def salt(self) -> str:
        return json.dumps([chunker_name(), self.scope.tenant, self.scope.org, self.redacted, self.run])

    def documents(self) -> list[CorpusDocument]:
        """Oldest job first. Raises `StorageError`."""
        found = with_store(self.service.runtime(), lambda store: list(list_corpus(store.db, self.scope, self.job_id)))
        return [CorpusDocument(one.document_id, str(one.attempt), one.chunker or "") for one in found]

    def open(self) -> Cutter:
        return ServiceCutter(self)


class ServiceCutter:
    """A `Cutter`. Raises `StorageError`, and `PiiIncomplete` for what is to be redacted and was never searched."""

    def __init__(self, corpus: ServiceCorpus) -> None:
        self._store, self._tokenizer = open_runtime_store(corpus.service.runtime()), load_tokenizer()
        self._redacted = corpus.redacted

    def __call__(self, document: CorpusDocument) -> list[Chunk]:
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
        self._store.close()


def load_named_tree(stored: bytes) -> Tree:
    """A tree as `quire extract` writes it: with the file's name, which the tree itself does not hold."""
    facts = json.loads(stored)
    facts["source"].pop("name", None)
    facts.pop("document_id", None)
    return load_tree(json.dumps(facts).encode())


def cut_groups(documents: list[CorpusDocument], mean: int, most: int) -> Iterator[list[CorpusDocument]]:
    """Runs of documents, ended where a document's own name says so: one more or less changes one group only."""
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
