"""Explains a document: which pass set a block's type, level, order and cells, by which numbers, and what passes cost.

Compares the columns before and after each pass; nothing in the passes knows of it.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from importlib import import_module
from pkgutil import walk_packages
from time import perf_counter
from types import ModuleType

from quire.models.cdom.geometry import Bbox, bbox_area, round_bbox, union_bbox
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType, Source
from quire.models.extract.document.draft import Draft
from quire.models.extract.document.levels import find_depth, rank_styles, style_of
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.pipeline.assemble import DocumentColumns, assemble
from quire.models.extract.pipeline.page import PageColumns
from quire.models.extract.pipeline.passes import DOCUMENT_PASSES, PAGE_PASSES
from quire.models.extract.registry import open_document
from quire.models.extract.steps import Pass, Steps

_PACKAGE = "quire.models.extract"
_SHOWN = frozenset({"ordered", "groups", "running", "kinds", "typed", "blocks", "tables"})
"""Columns of a page by which its blocks can be seen before they are made."""


@dataclass(frozen=True, slots=True)
class SeenItem:
    """A future block: its box on the page, what is known of it, and numbers that say why."""

    box: Bbox
    facts: dict[str, str]
    numbers: str = ""


@dataclass(frozen=True, slots=True)
class PassChange:
    """A change by a pass: an aspect of a block, from one value to another."""

    name: str
    aspect: str
    before: str
    after: str
    numbers: str = ""


class PassRecorder:
    """Records the items of each page after every pass that may change them, and the seconds of all passes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.pages: dict[int, list[tuple[str, list[SeenItem]]]] = defaultdict(list)
        self.drafts: list[Draft] = []
        self._changes: dict[int, list[PassChange]] = defaultdict(list)
        self._kept: list[Draft] = []

    def run(self, item: Pass, record: object) -> None:
        """Apply the pass."""
        before = {id(draft): _describe_draft(draft) for draft in self.drafts}
        start = perf_counter()
        item.apply(record, item.load())
        self.seconds[item.name] += perf_counter() - start
        if isinstance(record, PageColumns) and _SHOWN.intersection(column.partition(".")[0] for column in item.writes):
            items = list(_list_items(record, with_chances="chances" in item.writes))
            self.pages[record.number].append((item.name, items))
        elif isinstance(record, DocumentColumns):
            self.drafts = record.drafts
            self._kept += record.drafts  # an id is not given twice
            for draft in record.drafts:
                old, new = before.get(id(draft)), _describe_draft(draft)
                self._changes[id(draft)] += [
                    PassChange(item.name, aspect, old[aspect], new[aspect], _find_reasons(record, draft, aspect))
                    for aspect in (new if old else ())
                    if old and old[aspect] != new[aspect]
                ]

    def explain(self, draft: Draft) -> list[PassChange]:
        """Return the changes of a block in the order of the passes."""
        changes: list[PassChange] = []
        known, box, sequence = dict[str, str](), draft.block.bbox, list[Bbox]()
        for name, items in self.pages[draft.page.number] if box else ():
            boxes, before = [item.box for item in items], sequence
            index = max(range(len(items)), key=lambda index: _overlap(boxes[index], box), default=-1)
            sequence = boxes
            if index < 0 or not _overlap(boxes[index], box):
                continue
            facts = dict(items[index].facts)
            if name == "order" or (boxes != before and sorted(boxes) == sorted(before)):
                facts["order"] = f"{index + 1} of {len(items)}"
            for aspect, value in facts.items():
                if known.get(aspect, "") != value or (aspect == "type" and "probability" in items[index].numbers):
                    changes.append(PassChange(name, aspect, known.get(aspect, ""), value, items[index].numbers))
            known |= facts
        return changes + self._changes[id(draft)]


def _list_items(page: PageColumns, *, with_chances: bool) -> Iterator[SeenItem]:
    """Yield what is known of the page's future blocks, in their order."""
    if page.blocks:
        for block in page.blocks:
            if block.bbox is not None:
                facts = {"type": block.type.value, "level": str(block.level or "")} | _describe_table(block.table)
                yield SeenItem(block.bbox, facts)
        return
    tables = {_place(page, table.box): table for table in page.tables}
    groups: list[tuple[BlockType | None, list[Line]]] = [(group.kind, group.lines) for group in page.typed]
    kinds: Sequence[BlockType | None] = page.kinds or [page.running.get(index) for index in range(len(page.groups))]
    groups = groups or list(zip(kinds, page.groups, strict=False))
    for index, (kind, lines) in enumerate(groups or [(None, [line]) for line in page.ordered]):
        box = _place(page, union_bbox([line.bbox for line in lines]))
        facts, numbers = {} if kind is None else {"type": kind.value}, f"size {lines[0].size:.1f} of {page.body:.1f}"
        if (table := tables.get(box)) is not None and page.floats.holds(lines[0]):
            facts, numbers = {"type": BlockType.TABLE.value} | _describe_table(table.table), f"score {table.score:.2f}"
        elif with_chances and index in page.chances:
            numbers += f", probability {page.chances[index]:.2f}"
        yield SeenItem(box, facts, numbers)
    if not page.ordered:
        for box, table in tables.items():
            facts = {"type": BlockType.TABLE.value} | _describe_table(table.table)
            yield SeenItem(box, facts, f"score {table.score:.2f}")


def _place(page: PageColumns, box: Bbox) -> Bbox:
    """Return a box of the upright page on the page as shown, with the precision of blocks."""
    if page.mirror is not None:
        box = page.mirror.turn_back(box)
    return round_bbox(box if page.turned is None else page.turned.turn.turn_back(box))


def _overlap(a: Bbox, b: Bbox | None) -> float:
    """Return the shared area of two boxes as a share of the area of both."""
    if b is None:
        return 0.0
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    return shared / max(bbox_area(a) + bbox_area(b) - shared, 1e-9)


def _describe_table(table: Table | None) -> dict[str, str]:
    return {} if table is None else {"cells": f"{table.rows} × {table.cols}, {len(table.cells)} cells"}


def _describe_draft(draft: Draft) -> dict[str, str]:
    known = {"type": draft.type.value, "level": str(draft.level or ""), "cells": ""}
    return known | _describe_table(draft.block.table)


def _find_reasons(document: DocumentColumns, draft: Draft, aspect: str) -> str:
    """Return the numbers by which passes over the document decide about a level."""
    if aspect != "level":
        return ""
    headings = [other for other in document.drafts if other.type in (BlockType.HEADING, BlockType.TITLE)]
    rank, depth = rank_styles(headings).get(style_of(draft), 0), find_depth(draft.block.text) or 0
    return f"size {draft.block.look.size:.1f}, rank {rank} of styles, depth {depth} of its number"


def explain_document(data: bytes, options: ReadOptions, without: Iterable[str] = ()) -> bytes:
    """Return, as JSON, the blocks of the document with the passes that set them, and milliseconds by pass."""
    recorder = PassRecorder()
    Steps.recorder, Steps.without = recorder, tuple(without)
    try:
        document = open_document(data, options)
        contents = [document.read_page(number).content for number in document.facts.page_numbers]
        document.close()
        source = Source(format=document.facts.format.value, sha256="", bytes=len(data))
        tree = assemble(document.facts, contents, source=source, options=options)
    finally:
        Steps.recorder, Steps.without = None, ()
    blocks = [
        {
            "id": block.id, "page": block.page, "type": block.type.value, "level": block.level,
            "text": " ".join(block.text.split())[:60],
            "changes": [asdict(change) for change in recorder.explain(draft)],
        }
        for block, draft in zip(tree.blocks, recorder.drafts, strict=True)
    ]  # fmt: skip
    milliseconds = {name: round(1000 * seconds, 3) for name, seconds in recorder.seconds.items()}
    return json.dumps({"blocks": blocks, "milliseconds": milliseconds}).encode()


def list_limits(name: str = "") -> Iterator[str]:
    """Yield the numbers of each pass, or of one: class and field, value."""
    for item in (*PAGE_PASSES, *DOCUMENT_PASSES):
        if name and item.name != name:
            continue
        yield f"{item.name} ({item.target}): reads {', '.join(item.reads)}; writes {', '.join(item.writes)}"
        for module in (module for name in item.limits for module in _list_modules(import_module(f"{_PACKAGE}.{name}"))):
            for limits in vars(module).values():
                if is_dataclass(limits) and type(limits).__module__ == module.__name__:
                    kind = type(limits).__name__
                    yield from (f"    {kind}.{part.name} = {getattr(limits, part.name)}" for part in fields(limits))


def _list_modules(module: ModuleType) -> list[ModuleType]:
    """Return the module, or all modules of a package."""
    inner = walk_packages(getattr(module, "__path__", []), f"{module.__name__}.")
    return [import_module(found.name) for found in inner] or [module]
