"""Marked-up text as its reader spells it: every character with the place it is from, so that it can be masked there."""

from collections.abc import Collection
from dataclasses import dataclass, field

from lxml import etree

from quire.models.pii.kinds import Detector
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.folded import find_blocks, find_values, fold_text
from quire.models.redaction.planning.plan import RedactionPlan

MASK = "█████"
"""Mask of a fixed length, which does not reveal the length of the value."""
LEAST_NAME = 6
"""Characters of the shortest attribute that is searched: every value recognised by its form is longer."""
DEEPEST = 300
"""Maximum nesting of elements; deeper content is not written text."""


@dataclass(frozen=True, slots=True)
class TextSlot:
    """The text of an element, or what follows it."""

    element: etree._Element
    tail: bool = False

    def read(self) -> str:
        """Return the text of the slot."""
        return (self.element.tail if self.tail else self.element.text) or ""

    def write(self, text: str) -> None:
        """Replace the text of the slot."""
        if self.tail:
            self.element.tail = text
        else:
            self.element.text = text


@dataclass(slots=True)
class SpelledText:
    """`origins[i]` is where character `i` is from; None for a break that the markup says."""

    chars: list[str] = field(default_factory=list)
    origins: list[tuple[TextSlot, int] | None] = field(default_factory=list)

    def add(self, slot: TextSlot) -> None:
        """Append the text of a slot."""
        text = slot.read()
        self.chars += text
        self.origins += [(slot, index) for index in range(len(text))]

    def part(self, char: str) -> None:
        """Append a break, tab or blank that the markup implies."""
        self.chars.append(char)
        self.origins.append(None)


def spell_mixed(root: etree._Element, breaks: Collection[str], blanks: Collection[str]) -> SpelledText:
    """All text of elements and between them; a line ends after an element of `breaks` (local names)."""
    spelled = SpelledText()
    _spell(root, spelled, breaks, blanks, 0)
    return spelled


def _spell(
    element: etree._Element, spelled: SpelledText, breaks: Collection[str], blanks: Collection[str], depth: int
) -> None:
    if depth > DEEPEST:
        raise RedactionUnproven("elements nested too deeply")
    spelled.add(TextSlot(element))
    for child in element:
        _spell(child, spelled, breaks, blanks, depth + 1)
        name = local_name(child)
        if name in breaks:
            spelled.part("\n")
        elif name in blanks:
            spelled.part(" ")
        spelled.add(TextSlot(child, tail=True))


def mask_spelled(spelled: SpelledText, plan: RedactionPlan, detector: Detector) -> set[TextSlot]:
    """Each run of masked characters of a slot becomes one mask. The slots that were changed."""
    text = fold_text("".join(spelled.chars))
    gone: dict[TextSlot, set[int]] = {}
    for number in find_values(text, plan, detector) | find_blocks(text, plan):
        origin = spelled.origins[number]
        if origin is not None:
            gone.setdefault(origin[0], set()).add(origin[1])
    for slot, places in gone.items():
        slot.write(mask_places(slot.read(), places))
    return set(gone)


def mask_attributes(root: etree._Element, plan: RedactionPlan, detector: Detector) -> bool:
    """Mask values in attributes, such as names of styles and themes; return whether any changed."""
    changed = False
    judged: dict[str, set[int]] = {}
    for element in root.iter():
        for key, value in element.attrib.items():
            text = str(value)
            if len(text) >= LEAST_NAME and text not in judged:
                judged[text] = find_values(fold_text(text), plan, detector)
            if judged.get(text):
                element.set(key, mask_places(text, judged[text]))
                changed = True
    return changed


def mask_places(text: str, places: Collection[int]) -> str:
    """Return the text with each run of these characters replaced by one mask."""
    kept = [char if index not in places else MASK if index - 1 not in places else "" for index, char in enumerate(text)]
    return "".join(kept)


def local_name(element: etree._Element) -> str:
    """Return the name without its namespace; empty for comments and instructions."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""
