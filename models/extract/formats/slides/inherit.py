"""What a slide takes from its layout and master: places of placeholders and which levels of text have bullets."""

from dataclasses import dataclass, field
from typing import Final

from models.extract.formats.common.xml import A, Element, number

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A14: Final = "{http://schemas.microsoft.com/office/drawing/2010/main}"
P188: Final = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"
EMU_PER_POINT: Final = 12700
"""English Metric Units, the format's unit of length, to a point."""


_TITLES: Final = frozenset({"title", "ctrTitle"})
_SAME: Final = {"ctrTitle": "title", "subTitle": "body", "obj": "body", "": "body"}
_STYLES: Final = {"title": "titleStyle", "ctrTitle": "titleStyle"}


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`type` and `index` of a placeholder; type "" is a body without a stated type."""

    type: str
    index: str


@dataclass(frozen=True, slots=True)
class Bullet:
    """How a paragraph is marked: `numbered` names the scheme (else a bullet); `start` its first number."""

    numbered: str | None = None
    start: int = 1


@dataclass(frozen=True, slots=True)
class SlideInheritance:
    """The layout and the master inherited a slide."""

    roots: tuple[Element, ...] = ()
    _shapes: dict[Placeholder, list[Element]] = field(default_factory=dict)

    def shapes(self, placeholder: Placeholder) -> list[Element]:
        """The shapes that a placeholder inherits from, nearest first."""
        if placeholder not in self._shapes:
            found = (_match(root, placeholder) for root in self.roots)
            self._shapes[placeholder] = [shape for shape in found if shape is not None]
        return self._shapes[placeholder]

    def frame(self, shape: Element, placeholder: Placeholder | None) -> Element | None:
        """The `a:xfrm` of a shape, its own or inherited."""
        for one in [shape, *(self.shapes(placeholder) if placeholder is not None else [])]:
            xfrm = one.find(f"{P}spPr/{A}xfrm")
            if xfrm is not None and xfrm.find(A + "off") is not None:
                return xfrm
        return None

    def bullet(self, shape: Element, placeholder: Placeholder | None, paragraph: Element, level: int) -> Bullet | None:
        """The mark of a paragraph; None when it has none."""
        own = paragraph.find(A + "pPr")
        sources = [own] if own is not None else []
        name = f"{A}lvl{min(level, 9)}pPr"
        for one in [shape, *(self.shapes(placeholder) if placeholder is not None else [])]:
            sources += one.findall(f"{P}txBody/{A}lstStyle/{name}")
        if placeholder is not None:
            style = _STYLES.get(placeholder.type, "bodyStyle")
            for root in self.roots:
                sources += root.findall(f"{P}txStyles/{P}{style}/{name}")
        for source in sources:
            stated, bullet = _read_bullet(source)
            if stated:
                return bullet
        return None


def placeholder_of(shape: Element) -> Placeholder | None:
    """What kind of placeholder a shape is; None for one that is none."""
    for node in shape:
        if isinstance(node.tag, str) and node.tag.startswith(P + "nv"):
            found = node.find(f"{P}nvPr/{P}ph")
            return None if found is None else Placeholder(found.get("type") or "", found.get("idx") or "")
    return None


def is_title(placeholder: Placeholder | None) -> bool:
    return placeholder is not None and placeholder.type in _TITLES


def _match(root: Element, wanted: Placeholder) -> Element | None:
    by_type = None
    for shape in root.iterfind(f"{P}cSld/{P}spTree/{P}sp"):
        other = placeholder_of(shape)
        if other is None:
            continue
        if wanted.index and other.index == wanted.index:
            return shape
        if by_type is None and _kind(other) == _kind(wanted):
            by_type = shape
    return by_type


def _kind(placeholder: Placeholder) -> str:
    return _SAME.get(placeholder.type, placeholder.type)


def _read_bullet(source: Element) -> tuple[bool, Bullet | None]:
    """Whether properties say something of a bullet, and what."""
    for node in source:
        if node.tag == A + "buNone":
            return True, None
        if node.tag in (A + "buChar", A + "buBlip"):
            return True, Bullet()
        if node.tag == A + "buAutoNum":
            return True, Bullet(node.get("type") or "arabicPeriod", number(node.get("startAt"), 1))
    return False, None
