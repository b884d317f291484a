"""Numbered and bulleted lists: numbering definitions in, the marker of each paragraph out, counted as Word counts.

Stateful: one `ListCounter` reads a document once, in order. Knows no text and no styles beyond their ids.
"""

from dataclasses import dataclass, field
from typing import Final

from quire.models.extract.formats.common.xml import Element, W, number, val
from quire.models.extract.formats.flow.number_formats import format_count
from quire.models.extract.formats.word.docx.styles import read_indent

MAX_LEVEL: Final = 8
"""The deepest list level, counted from 0: the format has nine."""
CHECK_GLYPHS: Final = frozenset("☐☑☒")
_UNORDERED: Final = frozenset({"bullet", "none"})


@dataclass(frozen=True, slots=True)
class Marker:
    """The marker of a list item.

    Attributes:
        text: Printed marker; "" for bullets.
        level: From 1.
        ordered: Whether the list is numbered.
        blank: Whether nothing is printed.
        indent: Start of the item's text, in twips from the margin.
    """

    text: str
    level: int
    ordered: bool
    blank: bool
    indent: int | None = None


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False
    style: str | None = None
    indent: int | None = None


@dataclass(slots=True)
class _Number:
    """One `w:num`: its abstract list, its own levels, and starts that are not applied yet."""

    abstract: str
    levels: dict[int, _Level] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)


class ListCounter:
    """Counters by abstract list; `next` must be called for every numbered paragraph in document order."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._numbers: dict[str, _Number] = {}
        self._counts: dict[str, dict[int, int]] = {}
        if root is not None:
            self._read(root)

    def knows(self, num_id: str) -> bool:
        """Return whether the list is defined."""
        return num_id in self._numbers

    def level_of_style(self, num_id: str, style_ids: tuple[str, ...]) -> int | None:
        """Return the level (from 0) that a list links to one of these styles."""
        levels = self._levels_of(num_id)
        return next((i for style_id in style_ids for i, level in levels.items() if level.style == style_id), None)

    def next(self, num_id: str, level: int) -> Marker:
        """Count one paragraph of list `num_id` at `level` (from 0) and return its marker."""
        level = max(0, min(level, MAX_LEVEL))
        num = self._numbers[num_id]
        levels = self._levels_of(num_id)
        counts = self._counts.setdefault(num.abstract, {})
        if level in num.starts:
            counts[level] = num.starts.pop(level) - 1
        elif level not in counts:
            counts[level] = levels.get(level, _Level()).start - 1
        counts[level] += 1
        for deeper in [counted for counted in counts if counted > level]:
            restart = levels.get(deeper, _Level()).restart
            if restart is None or level < restart:
                del counts[deeper]
        return _make_marker(levels, counts, level)

    def _levels_of(self, num_id: str) -> dict[int, _Level]:
        num = self._numbers.get(num_id)
        return {**self._levels.get(num.abstract, {}), **num.levels} if num else {}

    def _read(self, root: Element) -> None:
        style_links: dict[str, str] = {}
        for node in root.iter(W + "abstractNum"):
            abstract = node.get(W + "abstractNumId", "")
            self._levels[abstract] = dict(map(_read_level, node.findall(W + "lvl")))
            if link := val(node.find(W + "styleLink")):
                style_links[link] = abstract
        borrowed = {
            node.get(W + "abstractNumId", ""): style_links[link]
            for node in root.iter(W + "abstractNum")
            if (link := val(node.find(W + "numStyleLink"))) in style_links and link is not None
        }
        for node in root.iter(W + "num"):
            abstract = val(node.find(W + "abstractNumId")) or ""
            self._numbers[node.get(W + "numId", "")] = _read_number(node, borrowed.get(abstract, abstract))


def _read_level(node: Element) -> tuple[int, _Level]:
    restart = node.find(W + "lvlRestart")
    return number(node.get(W + "ilvl")), _Level(
        start=number(val(node.find(W + "start")), 1) if node.find(W + "start") is not None else 0,
        format=_read_format(node),
        text=val(node.find(W + "lvlText")) or "",
        restart=number(val(restart)) if restart is not None else None,
        legal=node.find(W + "isLgl") is not None,
        style=val(node.find(W + "pStyle")),
        indent=read_indent(node.find(W + "pPr")),
    )


def _read_format(node: Element) -> str:
    """Return the number format of a level, also where only newer readers know it (`w:numFmt` in a choice)."""
    stated = node.find(W + "numFmt")
    stated = next(node.iter(W + "numFmt"), None) if stated is None else stated
    format_ = val(stated) or "decimal"
    pattern = stated.get(W + "format", "") if stated is not None and format_ == "custom" else ""
    return f"zeros{len(pattern.partition(',')[0])}" if pattern.startswith("0") else format_


def _read_number(node: Element, abstract: str) -> _Number:
    num = _Number(abstract)
    for override in node.findall(W + "lvlOverride"):
        level_index = number(override.get(W + "ilvl"))
        if (level_node := override.find(W + "lvl")) is not None:
            num.levels[level_index] = _read_level(level_node)[1]
        if (start := override.find(W + "startOverride")) is not None:
            num.starts[level_index] = number(val(start), 1)
    return num


def _make_marker(levels: dict[int, _Level], counts: dict[int, int], level: int) -> Marker:
    definition = levels.get(level, _Level(text=f"%{level + 1}."))
    if definition.format in _UNORDERED:
        glyph = definition.text.strip()
        text = glyph if definition.format == "none" or glyph in CHECK_GLYPHS else ""
        return Marker(text, level + 1, False, not definition.text.strip(), definition.indent)
    text = definition.text
    for index in range(level, -1, -1):
        format_ = "decimal" if definition.legal else levels.get(index, _Level()).format
        count = counts.get(index, levels.get(index, _Level()).start)
        text = text.replace(f"%{index + 1}", format_count(count, format_))
    return Marker(text.strip(), level + 1, True, not text.strip(), definition.indent)
