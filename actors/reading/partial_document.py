"""Collects and checks the pieces that children send about one document.

A child is hostile until proven otherwise: names, numbers and counts are compared with the request.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter, ValidationError

from quire.actors.reading.page_spool import PixelStore
from quire.actors.sandbox.frames import BadFrame, Frame, TooMuchOutput
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Embedded, ReadOptions
from quire.models.cdom.ports import PageImage, PixelPage
from quire.models.cdom.tree import DamagedTree, Source, Tree, dump_tree, load_tree
from quire.models.extract.contract import PICTURE_NUMBERS, DocumentFacts, PageContent, load_facts, load_page
from quire.models.extract.formats.common.collector import without_collector
from quire.models.extract.formats.flow.document import MAX_EMBEDDED, MAX_EMBEDDED_BYTES, MAX_PATH_CHARS

_BOXES = TypeAdapter(tuple[tuple[Bbox, ...], ...])
_ASSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


MOST_FACTS_BYTES = 8 << 20  # 5,000 pages with a long outline take half a megabyte
MOST_PAGE_BYTES = 16 << 20  # a page of 100,000 characters with boxes takes one
MOST_KEPT_BYTES = 32 << 20  # compressed: ten times less than `kept_pages.MOST_KEPT_BYTES`
MOST_TREE_BYTES = 192 << 20  # 5,000 dense pages take ninety, a table of 1.5 million cells 185


@dataclass(slots=True)
class PartialDocument:
    """Pages by number and assets by name; `facts` once the document was opened."""

    source: Source
    options: ReadOptions
    limits: SandboxLimits
    facts: DocumentFacts | None = None
    contents: dict[int, PageContent] = field(default_factory=dict)
    assets: dict[str, bytes] = field(default_factory=dict)
    embedded: dict[str, Embedded] = field(default_factory=dict)
    tree_json: bytes = b""
    kept_pages: bytes = b""
    """Contents of the pages for the next file of the name (`KeptPages`); never opened outside a child."""
    pixels: PixelStore = field(default_factory=PixelStore)
    _asset_bytes: int = 0
    _other_bytes: int = 0

    def note_facts(self, frame: Frame) -> DocumentFacts:
        """Facts of the opened document; the same from every child. Raises `BadFrame`."""
        facts = _load_facts(_bounded(frame.data("facts"), MOST_FACTS_BYTES))
        numbers = facts.page_numbers
        if len(numbers) > self.options.max_pages or any(not 1 <= number <= facts.page_count for number in numbers):
            raise BadFrame("page numbers")
        if self.source.format not in ("", facts.format.value) or list(numbers) != sorted(set(numbers)):
            raise BadFrame("facts")
        if self.facts is not None and self.facts != facts:
            raise BadFrame("facts changed")
        self.facts = facts
        self.source = replace(self.source, format=facts.format.value)
        return facts

    def note_content(self, frame: Frame, asked: Sequence[int]) -> PageContent:
        """Store a page's content.

        Raises:
            BadFrame: The page is invalid or was not requested.
        """
        try:
            content = load_page(_bounded(frame.data("data"), MOST_PAGE_BYTES))
        except (DamagedTree, ValidationError) as error:
            raise BadFrame("no page") from error
        if content.number != frame.number("number") or content.number not in asked:
            raise BadFrame("page not asked for")
        self._count(frame)
        self.contents[content.number] = content
        return content

    def note_asset(self, frame: Frame) -> None:
        """Store a picture by name.

        Raises:
            BadFrame: The name is invalid.
            TooMuchOutput: The document has too many pictures or picture bytes.
        """
        name, data = frame.text("name"), frame.data("data")
        if not _ASSET_NAME.fullmatch(name):
            raise BadFrame("asset name")
        self._asset_bytes += len(data)
        self.assets[name] = data
        if len(self.assets) > self.options.max_assets or self._asset_bytes > self.options.max_asset_bytes:
            raise TooMuchOutput

    def note_embedded(self, frame: Frame) -> None:
        """Store a file inside the file, by its path.

        Raises:
            BadFrame: The path is invalid.
            TooMuchOutput: There are too many files or bytes.
        """
        path, name, data = frame.text("path"), frame.text("name"), frame.data("data")
        if not path or len(path) > MAX_PATH_CHARS or not path.isprintable():
            raise BadFrame("path of a file inside")
        self.embedded[path] = Embedded(path=path, name=name, data=data)
        files = self.embedded.values()
        if len(files) > MAX_EMBEDDED or sum(len(file.data) for file in files) > MAX_EMBEDDED_BYTES:
            raise TooMuchOutput

    def note_pixels(self, frame: Frame, asked: Sequence[int]) -> None:
        """Store a page's picture for the recogniser.

        Raises:
            BadFrame: The page was not requested.
            TooMuchOutput: The document has too many picture bytes.
        """
        number = frame.number("number")
        if number % PICTURE_NUMBERS not in asked:
            raise BadFrame("pixels not asked for")
        self.pixels.put(
            PixelPage(number=number, image=frame.data("data"), width=frame.real("width"), height=frame.real("height"))
        )
        if self.pixels.bytes > self.limits.pixel_bytes:
            raise TooMuchOutput

    def note_kept(self, frame: Frame) -> None:
        """Store the contents of the pages for the next file; raises `TooMuchOutput`."""
        self.kept_pages = _bounded(frame.data("data"), MOST_KEPT_BYTES)

    def note_tree(self, frame: Frame) -> Tree:
        """Check and return the assembled tree.

        Raises:
            BadFrame: The tree is of another document or not in canonical form.
        """
        self.tree_json = frame.data("data")
        return check_tree(self.tree_json, self)

    def drop_pages(self) -> None:
        """Drop pages, pixels and assets, which are read again."""
        self.contents.clear()
        self.assets.clear()
        self.pixels.close()
        self.pixels = PixelStore()
        self._asset_bytes = self._other_bytes = 0

    def _count(self, frame: Frame) -> None:
        self._other_bytes += frame.size
        if self._other_bytes > self.limits.output_bytes:
            raise TooMuchOutput


def _bounded(stored: bytes, most: int) -> bytes:
    """JSON of a child before it becomes objects, which take ten times its bytes. Raises `TooMuchOutput`."""
    if len(stored) > most:
        raise TooMuchOutput
    return stored


def _load_facts(stored: bytes) -> DocumentFacts:
    try:
        return load_facts(stored)
    except (DamagedTree, ValidationError) as error:
        raise BadFrame("no facts") from error


_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"})


def note_image(frame: Frame, marks: int) -> PageImage:
    """Return a drawn page with the boxes of `marks` marks.

    Raises:
        BadFrame: The boxes or the media type are invalid.
    """
    try:
        boxes = _BOXES.validate_json(frame.data("boxes"))
    except (DamagedTree, ValidationError) as error:
        raise BadFrame("boxes") from error
    if len(boxes) not in (0, marks):
        raise BadFrame("boxes")
    if frame.text("media_type") not in _IMAGE_TYPES:
        raise BadFrame("media type")
    return PageImage(
        png=frame.data("data"), width=frame.real("width"), height=frame.real("height"),
        page_count=frame.number("page_count"), media_type=frame.text("media_type"),
        boxes=boxes,
    )  # fmt: skip


def check_tree(stored: bytes, collected: PartialDocument) -> Tree:
    """Return the tree that a child assembled, after checking it.

    Raises:
        BadFrame: The tree is of another document or not in canonical form.
    """
    try:
        with without_collector():
            tree = load_tree(_bounded(stored, MOST_TREE_BYTES))
    except (DamagedTree, ValidationError) as error:
        raise BadFrame("no tree") from error
    facts = collected.facts
    pages = tuple(page.number for page in tree.pages)
    if tree.source != collected.source or facts is None or pages != facts.page_numbers:
        raise BadFrame("tree of another document")
    if tree.provenance.options_hash != collected.options.digest() or tree.pii is not None:
        raise BadFrame("tree of other options")
    _check_blocks(tree)
    if dump_tree(tree) != stored:
        raise BadFrame("tree not in canonical form")
    return tree


def _check_blocks(tree: Tree) -> None:
    pages = {page.number for page in tree.pages}
    known = {f"b{order}" for order in range(len(tree.blocks))} | {None}
    for order, block in enumerate(tree.blocks):
        if block.order != order or block.id != f"b{order}" or block.page not in pages:
            raise BadFrame("block order")
        if block.parent not in known or block.continues not in known:
            raise BadFrame("block reference")
        parts = block.table.parts if block.table is not None else ()
        if parts and (parts[0].page != block.page or not pages.issuperset(part.page for part in parts)):
            raise BadFrame("table parts")
