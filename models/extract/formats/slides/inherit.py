"""Inheritance of a slide from its layout and master: positions of placeholders, and bullets of text levels."""

from dataclasses import dataclass, field
from typing import Final

from quire.models.extract.formats.common.xml import A, Element, number

P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A14: Final = "{http://schemas.microsoft.com/office/drawing/2010/main}"
P188: Final = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"
EMU_PER_POINT: Final = 12700
"""English Metric Units, the format's unit of length, per point."""


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
    """Marker of a paragraph: `numbered` names the scheme (else it is a bullet); `start` is its first number."""

    numbered: str | None = None
    start: int = 1


@dataclass(frozen=True, slots=True)
class SlideInheritance:
    """The layout of a slide and its master."""

    roots: tuple[Element, ...] = ()
    _shapes: dict[Placeholder, list[Element]] = field(default_factory=dict)

    def shapes(self, placeholder: Placeholder) -> list[Element]:
        """Return the shapes that a placeholder inherits from, nearest first."""
        if placeholder not in self._shapes:
            shapes = (_find_match(root, placeholder) for root in self.roots)
            self._shapes[placeholder] = [shape for shape in shapes if shape is not None]
        return self._shapes[placeholder]

    def frame(self, shape: Element, placeholder: Placeholder | None) -> Element | None:
        """Return the `a:xfrm` of a shape, its own or an inherited one."""
        for source in [shape, *(self.shapes(placeholder) if placeholder is not None else [])]:
            xfrm = source.find(f"{P}spPr/{A}xfrm")
            if xfrm is not None and xfrm.find(A + "off") is not None:
                return xfrm
        return None

    def bullet(self, shape: Element, placeholder: Placeholder | None, paragraph: Element, level: int) -> Bullet | None:
        """Return the marker of a paragraph, if it has one."""
        own = paragraph.find(A + "pPr")
        sources = [own] if own is not None else []
        name = f"{A}lvl{min(level, 9)}pPr"
        for styled in [shape, *(self.shapes(placeholder) if placeholder is not None else [])]:
            sources += styled.findall(f"{P}txBody/{A}lstStyle/{name}")
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
    """Return the placeholder that a shape fills; None for an ordinary shape."""
    for node in shape:
        if isinstance(node.tag, str) and node.tag.startswith(P + "nv"):
            stated = node.find(f"{P}nvPr/{P}ph")
            return None if stated is None else Placeholder(stated.get("type") or "", stated.get("idx") or "")
    return None


def is_title(placeholder: Placeholder | None) -> bool:
    """Return whether the placeholder is a title."""
    return placeholder is not None and placeholder.type in _TITLES


def _find_match(root: Element, placeholder: Placeholder) -> Element | None:
    by_type = None
    for shape in root.iterfind(f"{P}cSld/{P}spTree/{P}sp"):
        candidate = placeholder_of(shape)
        if candidate is None:
            continue
        if placeholder.index and candidate.index == placeholder.index:
            return shape
        if by_type is None and _kind(candidate) == _kind(placeholder):
            by_type = shape
    return by_type


def _kind(placeholder: Placeholder) -> str:
    return _SAME.get(placeholder.type, placeholder.type)


def _read_bullet(source: Element) -> tuple[bool, Bullet | None]:
    """Return whether properties state a bullet or its absence, and the bullet."""
    for node in source:
        if node.tag == A + "buNone":
            return True, None
        if node.tag in (A + "buChar", A + "buBlip"):
            return True, Bullet()
        if node.tag == A + "buAutoNum":
            return True, Bullet(node.get("type") or "arabicPeriod", number(node.get("startAt"), 1))
    return False, None
