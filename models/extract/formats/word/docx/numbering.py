"""Numbered and bulleted lists: numbering definitions in, the marker of each paragraph out, counted as Word counts.

Stateful: one `ListCounter` walks a document once, in order. Knows no text and no styles beyond their ids.
"""

from dataclasses import dataclass, field
from typing import Final

from models.extract.formats.common.xml import Element, W, number, val
from models.extract.formats.word.docx.styles import read_indent

MAX_LEVEL: Final = 8
"""The deepest list level, counted from 0: the format has nine."""
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
CHECK_GLYPHS: Final = frozenset("☐☑☒")
_UNORDERED: Final = frozenset({"bullet", "none"})


@dataclass(frozen=True, slots=True)
class Marker:
    """What stands before a list item: `text` ("" for bullets), `level` from 1, `blank` when nothing is printed.

    `indent` is where the item's text begins, in twips from the margin.
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
    """One `w:num`: its abstract list, its own levels, and the starts it still has to apply."""

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
        return num_id in self._numbers

    def level_of_style(self, num_id: str, style_ids: tuple[str, ...]) -> int | None:
        """The level (from 0) that a list ties to one of these styles."""
        levels = self._levels_of(num_id)
        return next((at for wanted in style_ids for at, level in levels.items() if level.style == wanted), None)

    def next(self, num_id: str, level: int) -> Marker:
        """Counts one paragraph of list `num_id` at `level` (from 0)."""
        level = max(0, min(level, MAX_LEVEL))
        num = self._numbers[num_id]
        levels = self._levels_of(num_id)
        counts = self._counts.setdefault(num.abstract, {})
        if level in num.starts:
            counts[level] = num.starts.pop(level) - 1
        elif level not in counts:
            counts[level] = levels.get(level, _Level()).start - 1
        counts[level] += 1
        for deeper in [at for at in counts if at > level]:
            restart = levels.get(deeper, _Level()).restart
            if restart is None or level < restart:
                del counts[deeper]
        return _marker(levels, counts, level)

    def _levels_of(self, num_id: str) -> dict[int, _Level]:
        num = self._numbers.get(num_id)
        return {**self._levels.get(num.abstract, {}), **num.levels} if num else {}

    def _read(self, root: Element) -> None:
        style_links: dict[str, str] = {}
        for node in root.iter(W + "abstractNum"):
            abstract = node.get(W + "abstractNumId", "")
            self._levels[abstract] = {at: level for at, level in map(_read_level, node.findall(W + "lvl"))}
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
        format=val(node.find(W + "numFmt")) or "decimal",
        text=val(node.find(W + "lvlText")) or "",
        restart=number(val(restart)) if restart is not None else None,
        legal=node.find(W + "isLgl") is not None,
        style=val(node.find(W + "pStyle")),
        indent=read_indent(node.find(W + "pPr")),
    )


def _read_number(node: Element, abstract: str) -> _Number:
    found = _Number(abstract)
    for override in node.findall(W + "lvlOverride"):
        at = number(override.get(W + "ilvl"))
        if (own := override.find(W + "lvl")) is not None:
            found.levels[at] = _read_level(own)[1]
        if (start := override.find(W + "startOverride")) is not None:
            found.starts[at] = number(val(start), 1)
    return found


def _marker(levels: dict[int, _Level], counts: dict[int, int], level: int) -> Marker:
    here = levels.get(level, _Level(text=f"%{level + 1}."))
    if here.format in _UNORDERED:
        glyph = here.text.strip()
        text = glyph if here.format == "none" or glyph in CHECK_GLYPHS else ""
        return Marker(text, level + 1, False, not here.text.strip(), here.indent)
    text = here.text
    for at in range(level, -1, -1):
        format_ = "decimal" if here.legal else levels.get(at, _Level()).format
        count = counts.get(at, levels.get(at, _Level()).start)
        text = text.replace(f"%{at + 1}", format_count(count, format_))
    return Marker(text.strip(), level + 1, True, not text.strip(), here.indent)


def format_count(count: int, format_: str) -> str:
    """A count in one of Word's number formats; formats we do not write are decimal."""
    match format_:
        case "lowerLetter" | "upperLetter":
            text = _letters(count)
        case "lowerRoman" | "upperRoman":
            text = _roman(count)
        case "decimalZero":
            text = f"{count:02d}"
        case "none" | "bullet":
            text = ""
        case _:
            text = str(count)
    return text.upper() if format_.startswith("upper") else text


def _letters(count: int) -> str:
    """a … z, aa, bb … as Word writes them."""
    if not 0 < count <= 780:
        return str(count)
    return chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)


def _roman(count: int) -> str:
    if not 0 < count < 4000:
        return str(count)
    text = ""
    for value, letters in _ROMAN:
        text += letters * (count // value)
        count %= value
    return text
