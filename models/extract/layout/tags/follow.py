"""Arrange groups of a page by its structure tags: one group per element, in the tagged order, with the stated type.

Decided block by block: parts without tags, and parts that the page shows better than its tags, stay unchanged.
"""

from collections import defaultdict
from dataclasses import dataclass

from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tags.trust import TagPlan, is_heading_role

_KINDS = {
    "P": BlockType.PARAGRAPH,
    "BlockQuote": BlockType.PARAGRAPH,
    "LI": BlockType.LIST_ITEM,
    "Caption": BlockType.CAPTION,
    "Note": BlockType.FOOTNOTE,
    "FENote": BlockType.FOOTNOTE,
    "Code": BlockType.CODE,
}
_NOTES = frozenset({"Note", "FENote"})
_FURNITURE = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER})
_DEEPEST_LIST = 6
"""Maximum level of a list item, as in lists of the layout."""


@dataclass(slots=True)
class TypedGroup:
    """Lines of one block with its type; `level` if it was stated; `tagged` if the tags state the type."""

    kind: BlockType
    lines: list[Line]
    level: int | None = None
    tagged: bool = False


@dataclass(slots=True)
class _TaggedElement:
    """The lines of an element and the types that the layout assigned to them."""

    role: str
    depth: int
    lines: list[Line]
    kinds: list[BlockType]


def follow_tags(plan: TagPlan, groups: list[list[Line]], kinds: list[BlockType], floats: set[int]) -> list[TypedGroup]:
    """Return the groups as tagged; those of `floats` (indices of `groups`) and running heads stay unchanged."""
    elements: dict[int, _TaggedElement] = {}
    slots: list[TypedGroup | int] = []
    for index, (group, kind) in enumerate(zip(groups, kinds, strict=True)):
        if index in floats or (kind in _FURNITURE and not _are_notes(plan, group)):
            slots.append(TypedGroup(kind, group))
        else:
            _distribute_lines(plan, group, kind, elements, slots)
    has_headings = any(is_heading_role(element.role) for element in elements.values())
    in_order = iter(sorted(slot for slot in slots if isinstance(slot, int)))
    return [
        slot if isinstance(slot, TypedGroup) else _as_stated(elements[next(in_order)], has_headings) for slot in slots
    ]


def _are_notes(plan: TagPlan, group: list[Line]) -> bool:
    """Return True for an apparent running foot that is a note from its beginning; a real foot may seem to end one."""
    tags = [plan.tag_of(line) for line in group]
    if not all(tag is not None and tag.role in _NOTES for tag in tags):
        return False
    return any(tag is not None and plan.begins_element(tag) for tag in tags)


def _distribute_lines(
    plan: TagPlan,
    group: list[Line],
    kind: BlockType,
    elements: dict[int, _TaggedElement],
    slots: list[TypedGroup | int],
) -> None:
    """Put the lines of a group into their elements; a slot for each element that is met first, one for the rest."""
    untagged: list[Line] = []
    for line in group:
        tag = plan.tag_of(line)
        if tag is None or (tag.role not in _KINDS and not is_heading_role(tag.role)):
            untagged.append(line)
            continue
        if tag.element not in elements:
            elements[tag.element] = _TaggedElement(tag.role, tag.depth, [], [])
            slots.append(tag.element)
        elements[tag.element].lines.append(line)
        elements[tag.element].kinds.append(kind)
    if untagged:
        slots.append(TypedGroup(kind, untagged))


def _as_stated(element: _TaggedElement, has_headings: bool) -> TypedGroup:
    """Return the group of an element.

    Authors who tag nothing else use `P` for everything, so it rules out a heading only if other headings are tagged.
    """
    seen = _most_common(element)
    if is_heading_role(element.role):
        return TypedGroup(BlockType.HEADING, element.lines, _stated_level(element.role), True)
    if seen is BlockType.FORMULA:
        return TypedGroup(seen, element.lines)
    stated = _KINDS[element.role]
    if stated is BlockType.PARAGRAPH and seen is not BlockType.PARAGRAPH:
        keeps = seen is not BlockType.HEADING or not has_headings
        return TypedGroup(seen, element.lines) if keeps else TypedGroup(stated, element.lines, tagged=True)
    level = min(max(element.depth, 1), _DEEPEST_LIST) if stated is BlockType.LIST_ITEM else None
    return TypedGroup(stated, element.lines, level, True)


def _stated_level(role: str) -> int | None:
    """Return 1..6 of H1..H6, 1 of a title; None of an H, whose level depends on its nesting."""
    return int(role[1:]) if len(role) < 4 and role[1:].isdecimal() else 1 if role == "Title" else None


def _most_common(element: _TaggedElement) -> BlockType:
    chars: dict[BlockType, int] = defaultdict(int)
    for line, kind in zip(element.lines, element.kinds, strict=True):
        chars[kind] += len(line.text)
    return max(chars, key=lambda kind: chars[kind])
