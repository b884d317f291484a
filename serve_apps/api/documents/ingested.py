"""Trees extracted elsewhere: parse untrusted JSON into a checked `Tree` and its assets. Pure; raises `InvalidIngest`.

Missing optional parts get their defaults, block ids become b0, b1, … in the given order, and PII flags are dropped:
they are always detected here, never accepted from outside.
"""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.flags import is_pii_flag
from quire.models.cdom.original import IMAGE_FORMATS, ReadOptions, clean_name
from quire.models.cdom.table import Table
from quire.models.cdom.tree import Block, BlockId, Tree
from quire.models.extract.formats.sniffing.signatures import sniff
from quire.serve_apps.api.http.refusals import InvalidUpload

CDOM_VERSION = "1.0"
MAX_VALUES = 4_000_000  # JSON values of one body: twenty for each of the most blocks
MAX_PARTS = 400_000  # cells, spans and flags of one tree: two for each of the most blocks; a second to parse
SPARE_SPANS = 16  # spans a block may have beyond two for each of its characters
MAX_BLOCKS = 200_000  # blocks of one ingested tree: a book of two thousand pages
PAGE_CHARS = 10_000
"""Maximum characters per charged page: twice a densely printed one. A page with more is charged as several."""
_ASSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TREE = TypeAdapter(Tree)
_ENGINE = {"engine": "external"}


class InvalidIngest(InvalidUpload):
    """The body is not an acceptable tree; `part` names the faulty part."""

    def __init__(self, text: str, part: str = "tree") -> None:
        super().__init__("invalid-ingest", text, part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """An accepted tree. `ids` maps the block ids that were sent to those of `tree`."""

    tree: Tree
    name: str
    ids: Mapping[str, BlockId]


def read_tree(sent: Any, options: ReadOptions) -> Ingested:
    """Return the tree with its defaults after checking its consistency and the size limits of `options`.

    Raises:
        InvalidIngest: The object is not a tree of this version, too large or inconsistent.
    """
    if not isinstance(sent, dict) or not all(isinstance(sent.get(name), list) for name in ("pages", "blocks")):
        raise InvalidIngest("expected an object with pages and blocks")
    if sent.get("cdom_version") != CDOM_VERSION:
        raise InvalidIngest(f"cdom_version must be {CDOM_VERSION}")
    if len(sent["pages"]) > options.max_pages or len(sent["blocks"]) > MAX_BLOCKS:
        raise InvalidIngest(f"at most {options.max_pages} pages and {MAX_BLOCKS} blocks")
    ids = _number_blocks(sent["blocks"])
    _count_parts(sent)
    tree = _validate(_complete(sent, ids))
    _check_tree(tree, options)
    source = sent["source"] if isinstance(sent.get("source"), dict) else {}
    name = source.get("name")
    return Ingested(tree=tree, name=clean_name(name if isinstance(name, str) else ""), ids=ids)


def count_pages(tree: Tree) -> int:
    """Return the pages to charge: the stated ones, or as many as the text would fill if that is more."""
    chars = sum(len(block.text) for block in tree.blocks)
    chars += sum(len(cell.text) for block in tree.blocks if block.table for cell in block.table.cells)
    return max(len(tree.pages), -(-chars // PAGE_CHARS))


def read_assets(sent: Any, tree: Tree, options: ReadOptions) -> dict[str, bytes]:
    """Return the decoded pictures by asset_ref. They must include every asset_ref of the tree."""
    if sent is not None and not isinstance(sent, dict):
        raise InvalidIngest("expected names with base64 strings", "assets")
    assets = {_asset_name(name): decode_base64(text, "assets") for name, text in (sent or {}).items()}
    if len(assets) > options.max_assets or sum(map(len, assets.values())) > options.max_asset_bytes:
        raise InvalidIngest("too many or too large", "assets")
    for data in assets.values():
        _check_picture(data)
    if any(block.asset_ref is not None and block.asset_ref not in assets for block in tree.blocks):
        raise InvalidIngest("a block's asset_ref is not among the assets", "assets")
    return assets


def read_semantics(sent: Any, ids: Mapping[str, BlockId]) -> dict[str, Any] | None:
    """Return the supplied semantics with evidence ids replaced by the tree's ids."""
    if sent is None:
        return None
    objects = sent.get("objects") if isinstance(sent, dict) else None
    if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
        raise InvalidIngest("expected an object with objects", "semantics")
    return {"objects": [item | {"evidence": _evidence(item.get("evidence", []), ids)} for item in objects]}


def decode_base64(text: Any, part: str) -> bytes:
    """Decode padded standard base64, or raise `InvalidIngest` naming `part`."""
    try:
        return b64decode(text, validate=True) if isinstance(text, str) else _refuse(part)
    except (binascii.Error, ValueError):
        return _refuse(part)


def _refuse(part: str) -> bytes:
    raise InvalidIngest("expected base64", part)


def _number_blocks(blocks: list[Any]) -> dict[str, BlockId]:
    ids: dict[str, BlockId] = {}
    for order, block in enumerate(blocks):
        sent = block.get("id") if isinstance(block, dict) else None
        if not isinstance(sent, str) or not 1 <= len(sent) <= 200 or sent in ids:
            raise InvalidIngest("every block needs a unique id")
        ids[sent] = BlockId(f"b{order}")
    return ids


def _count_parts(sent: dict[str, Any]) -> None:
    """Check the number of list items inside blocks before any of them becomes an object."""
    lists = [sent.get("warnings")]
    for block in sent["blocks"]:
        table = block.get("table")
        lists += [block.get(name) for name in ("spans", "flags", "flag_spans")]
        lists.append(table.get("cells") if isinstance(table, dict) else None)
    if sum(len(part) for part in lists if isinstance(part, list)) > MAX_PARTS:
        raise InvalidIngest(f"at most {MAX_PARTS} cells, spans and flags")
    for block in sent["blocks"]:
        _check_spans(block)


def _check_spans(block: dict[str, Any]) -> None:
    """Check that a text has at most as many spans as positions where one can begin or end."""
    spans, text = block.get("spans"), block.get("text")
    chars = len(text) if isinstance(text, str) else 0
    if isinstance(spans, list) and len(spans) > 2 * chars + SPARE_SPANS:
        raise InvalidIngest("a block has more spans than characters")


def _complete(sent: dict[str, Any], ids: Mapping[str, BlockId]) -> dict[str, Any]:
    source = sent["source"] if isinstance(sent.get("source"), dict) else {}
    sha256 = source.get("sha256")
    return {
        "source": {
            "format": source.get("format") or "external",
            "sha256": sha256 if isinstance(sha256, str) and _SHA256.fullmatch(sha256) else "",
            "bytes": source.get("bytes") or 0,
        },
        "metadata": sent.get("metadata") or {},
        "pages": sent["pages"],
        "blocks": [_complete_block(order, block, ids) for order, block in enumerate(sent["blocks"])],
        "warnings": sent.get("warnings") or [],
        "provenance": {"options_hash": ""} | (sent["provenance"] if isinstance(sent.get("provenance"), dict) else {}),
    }


def _complete_block(order: int, block: dict[str, Any], ids: Mapping[str, BlockId]) -> dict[str, Any]:
    if "text" not in block:
        raise InvalidIngest("every block needs a text")
    renamed = {name: _renamed(block.get(name), ids) for name in ("parent", "continues")}
    return _default_provenance(block) | block | renamed | {"id": ids[block["id"]], "order": order}


def _default_provenance(block: dict[str, Any]) -> dict[str, Any]:
    return {} if isinstance(block.get("provenance"), dict) else {"provenance": _ENGINE}


def _renamed(sent: Any, ids: Mapping[str, BlockId]) -> BlockId | None:
    if sent is None:
        return None
    if not isinstance(sent, str) or sent not in ids:
        raise InvalidIngest("a block refers to an unknown block")
    return ids[sent]


def _validate(complete: dict[str, Any]) -> Tree:
    try:
        tree = _TREE.validate_python(complete)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InvalidIngest(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return replace(tree, blocks=tuple(_without_pii(block) for block in tree.blocks), pii=None, coverage=None)


def _without_pii(block: Block) -> Block:
    return replace(
        block,
        flags=tuple(flag for flag in block.flags if not is_pii_flag(flag)),
        flag_spans=tuple(span for span in block.flag_spans if not is_pii_flag(span.flag)),
    )


def _check_tree(tree: Tree, options: ReadOptions) -> None:
    numbers = [page.number for page in tree.pages]
    if not numbers or min(numbers) < 1 or len(set(numbers)) != len(numbers):
        raise InvalidIngest("pages need unique numbers from 1")
    if any(not 0 < side <= 1e6 for page in tree.pages for side in (page.width, page.height)):
        raise InvalidIngest("a page's size is out of bounds")
    if sum(len(block.text) for block in tree.blocks) > options.max_text_chars:
        raise InvalidIngest("too much text")
    page_numbers = set(numbers)
    for block in tree.blocks:
        _check_block(block, page_numbers)
    _check_parents(tree.blocks)


def _check_block(block: Block, pages: set[int]) -> None:
    if block.page not in pages:
        raise InvalidIngest(f"block {block.id} is on an unknown page")
    if not 0 <= block.confidence <= 1 or (block.level is not None and not 0 <= block.level <= 100):
        raise InvalidIngest(f"block {block.id}: confidence or level is out of bounds")
    if not all(0 <= span.start <= span.end <= len(block.text) for span in block.spans):
        raise InvalidIngest(f"block {block.id}: a span reaches beyond the text")
    if block.table is not None and not all(
        0 <= cell.row < cell.row + cell.row_span <= block.table.rows
        and 0 <= cell.col < cell.col + cell.col_span <= block.table.cols
        for cell in block.table.cells
    ):
        raise InvalidIngest(f"block {block.id}: a cell reaches beyond its table")
    if block.table is not None and block.table.parts:
        _check_parts(block, block.table, pages)


def _check_parts(block: Block, table: Table, pages: set[int]) -> None:
    """Check that the parts have distinct pages, start on the block's page, and together cover all rows."""
    numbers = [part.page for part in table.parts]
    if numbers[0] != block.page or len(set(numbers)) != len(numbers) or not pages.issuperset(numbers):
        raise InvalidIngest(f"block {block.id}: each part of its table needs its own page")
    if any(part.rows < 1 for part in table.parts) or sum(part.rows for part in table.parts) != table.rows:
        raise InvalidIngest(f"block {block.id}: the parts of its table do not cover its rows")


def _check_parents(blocks: Iterable[Block]) -> None:
    """Check that every chain of parents ends."""
    parents = {block.id: block.parent for block in blocks}
    ended: set[BlockId] = set()
    for start in parents:
        chain: set[BlockId] = set()
        ancestor: BlockId | None = start
        while ancestor is not None and ancestor not in ended:
            if ancestor in chain:
                raise InvalidIngest("blocks must not be their own ancestors")
            chain.add(ancestor)
            ancestor = parents[ancestor]
        ended |= chain


def _asset_name(name: str) -> str:
    if not _ASSET.fullmatch(name):
        raise InvalidIngest("an asset's name must consist of letters, digits, '.', '_' and '-'", "assets")
    return name


def _check_picture(data: bytes) -> None:
    try:
        is_image = sniff(data[:4096]) in IMAGE_FORMATS
    except ExtractError:
        is_image = False
    if not is_image:
        raise InvalidIngest("an asset is not a picture", "assets")


def _evidence(sent: Any, ids: Mapping[str, BlockId]) -> list[BlockId]:
    if not isinstance(sent, list) or not all(isinstance(id, str) and id in ids for id in sent):
        raise InvalidIngest("evidence names an unknown block", "semantics")
    return [ids[id] for id in sent]
