"""Prepare an ingested body for storage: check it, scan for personal data, cut chunks. Pure and picklable.

A very large body can therefore run in a limited process (`quire.serve_apps.api.context.limited_work`), which returns
only bytes and chunks.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quire.models.cdom.chunk import Chunk
from quire.models.cdom.flags import FlaggedPlace
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import Tree, dump_tree
from quire.models.derive.chunks.chunks import ChunkSettings, chunk_tree
from quire.models.derive.doubts import lowest_confidence
from quire.models.pii.places import find_places
from quire.serve_apps.api.documents.ingested import (
    MAX_VALUES,
    InvalidIngest,
    count_pages,
    decode_base64,
    read_assets,
    read_semantics,
    read_tree,
)
from quire.serve_apps.api.http.strict_json import InvalidJson, parse_object
from quire.storage.objects.artifacts import ASSETS, SEMANTICS, TREE

LIGHT_BODY = 4 << 20
"""Maximum bytes of a body that is parsed in this process, in a tenth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRules:
    """Rules for accepting external trees. `flag` detects personal data; None if readers do not detect it either."""

    options: ReadOptions
    tokenizer: Tokenizer
    chunking: ChunkSettings
    max_original_bytes: int
    flag: Callable[[Tree], Tree] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedIngest:
    """Data to store and index. `charged`: metered pages; `refused`: reason and faulty part if nothing is stored."""

    name: str = ""
    format: str = ""
    pages: int = 0
    charged: int = 0
    files: dict[str, bytes] | None = None
    original: bytes | None = None
    chunks: tuple[Chunk, ...] = ()
    flags: tuple[FlaggedPlace, ...] = ()
    lowest_confidence: float | None = None
    refused: tuple[str, str] | None = None

    def require(self) -> dict[str, bytes]:
        """Return the files to store.

        Raises:
            InvalidIngest: The tree was refused.
        """
        if self.files is None:
            raise InvalidIngest(*(self.refused or ("refused",)))
        return self.files


def parse_light(body: bytes) -> dict[str, Any] | None:
    """Return the body as an object, or None if it is too large to parse in this process.

    Raises:
        InvalidIngest: The body is not acceptable JSON.
    """
    return _parse(body) if len(body) <= LIGHT_BODY else None


def weigh(body: bytes, sent: dict[str, Any]) -> int:
    """Return the number of characters of the body without its pictures and its original."""
    assets = sent.get("assets")
    carried = [sent.get("source_bytes"), *(assets.values() if isinstance(assets, dict) else ())]
    return len(body) - sum(len(text) for text in carried if isinstance(text, str))


def prepare_body(rules: IngestRules, body: bytes) -> PreparedIngest:
    """`prepare` of a body that was not parsed."""
    try:
        return prepare(rules, _parse(body))
    except InvalidIngest as error:
        return PreparedIngest(refused=(str(error), error.loc[-1]))


def prepare(rules: IngestRules, sent: dict[str, Any]) -> PreparedIngest:
    """Check everything, then scan and chunk. A refusal is a value, because it may come from another process."""
    try:
        ingested = read_tree(sent.get("tree"), rules.options)
        assets = read_assets(sent.get("assets"), ingested.tree, rules.options)
        semantics = read_semantics(sent.get("semantics"), ingested.ids)
        original = _read_original(sent.get("source_bytes"), rules.max_original_bytes)
    except InvalidIngest as error:
        return PreparedIngest(refused=(str(error), error.loc[-1]))
    files = {ASSETS + name: data for name, data in assets.items()}
    if semantics is not None:
        files[SEMANTICS] = json.dumps(semantics, ensure_ascii=False).encode("utf-8", "replace")
    tree = rules.flag(ingested.tree) if rules.flag else ingested.tree
    files[TREE] = dump_tree(tree)
    return PreparedIngest(
        name=ingested.name,
        format=ingested.tree.source.format[:64],
        pages=len(ingested.tree.pages),
        charged=count_pages(ingested.tree),
        files=files,
        original=original,
        chunks=tuple(chunk_tree(tree, rules.tokenizer, rules.chunking)),
        flags=find_places(tree),
        lowest_confidence=lowest_confidence(tree),
    )


def _parse(body: bytes) -> dict[str, Any]:
    try:
        return parse_object(body, storable=True, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidIngest(str(error), "body") from None


def _read_original(text: Any, most: int) -> bytes | None:
    if text is None:
        return None
    data = decode_base64(text, "source_bytes")
    if len(data) > most:
        raise InvalidIngest("larger than the upload limit", "source_bytes")
    return data
