"""The text of an Office part: that of its `t` elements, in reading order, cleared of what is masked."""

from lxml import etree

from quire.models.pii.kinds import Detector
from quire.models.redaction.office.package import OfficePackage, parse, write
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.folded import find_values, fold_text
from quire.models.redaction.planning.plan import RedactionPlan
from quire.models.redaction.planning.spelled import (
    DEEPEST,
    SpelledText,
    TextSlot,
    local_name,
    mask_attributes,
    mask_spelled,
)

_BREAKS = frozenset(("p", "br", "cr", "tr", "si", "is", "c"))
"""The last three are a workbook's texts and cells."""
_BLANKS = frozenset(("tab", "ptab"))
_HYPHENS = frozenset(("noBreakHyphen", "softHyphen"))


def mask_runs(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    """Mask values in the runs of an Office part."""
    spelled = SpelledText()
    spell_runs(root, spelled)
    for slot in mask_spelled(spelled, plan, detector):
        slot.element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def mask_parts(package: OfficePackage, plan: RedactionPlan, detector: Detector) -> None:
    """Mask values in names of styles, lists and themes in every part.

    Raises:
        RedactionUnproven: The name of a part holds a value.
    """
    for name, content in package.parts.items():
        if find_values(fold_text(name), plan, detector):
            raise RedactionUnproven("a part's name holds a value")
        root = parse(content)
        if mask_attributes(root, plan, detector):
            package.parts[name] = write(root)


def spell_runs(element: etree._Element, spelled: SpelledText, depth: int = 0) -> None:
    """Collect the text of an Office part's `t` elements in reading order."""
    if depth > DEEPEST:
        raise RedactionUnproven("elements nested too deeply")
    for child in element:
        name = local_name(child)
        if name == "t":
            spelled.add(TextSlot(child))
        elif name in _BLANKS or name in _HYPHENS:
            spelled.part("\t" if name in _BLANKS else "-")
        spell_runs(child, spelled, depth + 1)
        if name in _BREAKS:
            spelled.part("\n")
