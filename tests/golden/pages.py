"""Digests of the trees of single pages, compared with a record so that a diff says which kind of content changed."""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Source, Tree, dump_tree
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

KINDS = ("blocks", "texts", "tables", "boxes", "rest")
"""Blocks: types, levels and nesting. Rest: spans, flags, confidence, warnings, metadata and the coverage account."""
LEFT_OUT = {"blind", "hostile", "score"}
"""Folders whose documents are never chosen: unseen ones, bombs, and programs."""
_SUFFIXES = (
    "pdf docx pptx xlsx xlsm xlsb xls doc ppt odt ods odp rtf epub html mhtml eml msg csv nxml adoc asciidoc zip"
)
SUFFIXES = frozenset(f".{name}" for name in _SUFFIXES.split())
"""Suffixes of the files that are searched for documents of the record."""


@dataclass(frozen=True)
class PageDigest:
    """A page of a document, which has a SHA-256 or a name if a test makes it, and digests of its tree by kind."""

    document: str
    page: int
    blocks: str
    texts: str
    tables: str
    boxes: str
    rest: str

    @property
    def place(self) -> tuple[str, int]:
        """Document and page."""
        return self.document, self.page


def read_page(data: bytes, page: int) -> Tree:
    """Return the tree of one page, read without recognition."""
    return read_document(data, ReadOptions(pages=((page, page),), ocr=OcrMode.NEVER))


def read_document(data: bytes, options: ReadOptions = ReadOptions(ocr=OcrMode.NEVER)) -> Tree:
    """Return the tree of a document, read in this process."""
    document = open_document(data, options)
    contents = [document.read_page(number).content for number in document.facts.page_numbers]
    document.close()
    source = Source(format=document.facts.format.value, sha256="", bytes=len(data))
    return assemble(document.facts, contents, source=source, options=options)


def digest_page(data: bytes, page: int, name: str | None = None) -> PageDigest:
    """Read a page and return its digests. Versions of engines and of the reader do not count."""
    stored = json.loads(dump_tree(read_page(data, page)))
    blocks: list[dict[str, Any]] = stored.pop("blocks")
    boxes: list[Any] = []
    for removed in ("provenance", "source", "cdom_version"):
        del stored[removed]
    for block in blocks:
        block["provenance"].pop("version", None)
    blocks = [_without_boxes(block, boxes) for block in blocks]
    shape = [[block.pop(name, None) for name in ("type", "level", "parent", "continues", "page")] for block in blocks]
    texts = [block.pop("text", "") for block in blocks]
    tables = [block.pop("table", None) for block in blocks]
    parts = (shape, texts, tables, boxes, [blocks, stored])
    return PageDigest(name or hashlib.sha256(data).hexdigest(), page, *map(_short_digest, parts))


def _without_boxes(value: Any, boxes: list[Any]) -> Any:
    """Return the value without its boxes, which are added to `boxes`."""
    if isinstance(value, list):
        return [_without_boxes(part, boxes) for part in value]
    if not isinstance(value, dict):
        return value
    boxes.append(value.get("bbox"))
    return {name: _without_boxes(part, boxes) for name, part in value.items() if name != "bbox"}


def _short_digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def load_record(path: Path) -> list[PageDigest]:
    """Return the pages of a record."""
    return [PageDigest(**row) for row in json.loads(path.read_text())]


def save_record(path: Path, pages: Iterable[PageDigest]) -> None:
    """Write a record with one page per line, so that its diff shows pages."""
    rows = ",\n".join(json.dumps(asdict(page)) for page in pages)
    path.write_text(f"[\n{rows}\n]\n")


def list_changes(recorded: Sequence[PageDigest], read: Sequence[PageDigest]) -> list[str]:
    """Return a line for each page that differs, with the kinds that changed."""
    now = {page.place: page for page in read}
    changes = []
    for page in recorded:
        if (other := now.get(page.place)) is None:
            changes.append(f"{page.document[:24]} page {page.page}: not read")
        elif kinds := [kind for kind in KINDS if getattr(page, kind) != getattr(other, kind)]:
            changes.append(f"{page.document[:24]} page {page.page}: {', '.join(kinds)}")
    return changes


def find_documents(folders: Iterable[Path], wanted: set[str]) -> dict[str, Path]:
    """Return the files below the folders by their SHA-256."""
    files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES)
    found = ((hashlib.sha256(path.read_bytes()).hexdigest(), path) for path in files if path.is_file())
    return {digest: path for digest, path in found if digest in wanted}


def read_pages(places: Iterable[tuple[Path, int]]) -> Iterator[PageDigest]:
    """Read pages in two processes."""
    with ProcessPoolExecutor(2) as pool:
        yield from pool.map(_read_place, places, chunksize=4)


def _read_place(place: tuple[Path, int]) -> PageDigest:
    return digest_page(place[0].read_bytes(), place[1])


def choose_pages(folders: Sequence[Path], count: int, seed: int) -> list[tuple[Path, int]]:
    """Choose pages by seed, one of each document, from sources and formats in turn; two thirds of them are PDF."""
    chance = random.Random(seed)
    groups: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            parts = path.relative_to(folder).parts
            if path.suffix.lower() in SUFFIXES and not LEFT_OUT & set(parts):
                groups[path.suffix.lower(), folder.name, *parts[:-1][:2]].append(path)
    printed = [paths for key, paths in groups.items() if key[0] == ".pdf"]
    flowing = [paths for key, paths in groups.items() if key[0] != ".pdf"]
    wanted = count * 2 // 3
    return [*_choose_in_turn(printed, wanted, chance), *_choose_in_turn(flowing, count - wanted, chance)]


def _choose_in_turn(groups: list[list[Path]], count: int, chance: random.Random) -> list[tuple[Path, int]]:
    """Choose documents that can be read, no two alike."""
    chosen: dict[str, tuple[Path, int]] = {}
    for paths in groups:
        chance.shuffle(paths)
    while len(chosen) < count and any(groups):
        for path in [paths.pop() for paths in groups if paths]:
            data = path.read_bytes()
            try:
                numbers = list(open_document(data, ReadOptions(ocr=OcrMode.NEVER)).facts.page_numbers)
                page = digest_page(data, chance.choice(numbers))
            except ExtractError:
                continue
            chosen[page.document] = (path, page.page)
    return list(chosen.values())[:count]
