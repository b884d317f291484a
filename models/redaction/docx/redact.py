"""A Word file without what is masked. In: the original, its tree, the decisions. Out: a file, or a refusal."""

from lxml import etree

from models.cdom.tree import Tree
from models.pii.kinds import Detector
from models.pii.redact import Decisions
from models.redaction.docx.clean import clean_part
from models.redaction.office.package import OfficePackage, parse, write
from models.redaction.planning.errors import RedactionUnproven
from models.redaction.planning.leaks import require_proof
from models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from models.redaction.planning.spelled import DEEPEST, Slot, SpelledText, local_name, mask_spelled

_BREAKS = frozenset(("p", "br", "cr", "tr", "si", "is", "c"))
"""The last three are a workbook's texts and cells."""
_BLANKS = frozenset(("tab", "ptab"))
_HYPHENS = frozenset(("noBreakHyphen", "softHyphen"))


def redact_docx(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Raises `PiiIncomplete`, `RedactionUnproven`, and what parsers raise on broken files."""
    plan = plan_redaction(tree, decisions)
    package = OfficePackage(data)
    for name in package.texts():
        root = parse(package.parts[name])
        clean_part(root)
        mask_runs(root, plan, detector)
        package.parts[name] = write(root)
    return require_proof(package.write(), plan, reread)


def mask_runs(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    """Clears the runs of an Office part of what is masked."""
    spelled = SpelledText()
    spell_runs(root, spelled)
    for slot in mask_spelled(spelled, plan, detector):
        slot.element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def spell_runs(element: etree._Element, spelled: SpelledText, depth: int = 0) -> None:
    """The text of an Office part in reading order: that of its `t` elements."""
    if depth > DEEPEST:
        raise RedactionUnproven("elements nested too deeply")
    for child in element:
        name = local_name(child)
        if name == "t":
            spelled.add(Slot(child))
        elif name in _BLANKS or name in _HYPHENS:
            spelled.part("\t" if name in _BLANKS else "-")
        spell_runs(child, spelled, depth + 1)
        if name in _BREAKS:
            spelled.part("\n")
