"""A redacted workbook: cells and their looks, cleared of what is masked; formulas are their values."""

from lxml import etree

from models.cdom.tree import Tree
from models.pii.kinds import Detector
from models.pii.letters import letters
from models.pii.redact import Decisions
from models.redaction.office.package import SHEETS, OfficePackage, parse, write
from models.redaction.office.runs import mask_parts, mask_runs
from models.redaction.planning.folded import find_values, fold_text
from models.redaction.planning.leaks import require_proof
from models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from models.redaction.planning.spelled import MASK, local_name

_DROPPED = frozenset(
    (
        "f", "extLst", "drawing", "legacyDrawing", "legacyDrawingHF", "hyperlinks", "dataValidations",
        "conditionalFormatting", "headerFooter", "oleObjects", "controls", "tableParts", "customProperties", "picture",
        "webPublishItems", "webPublishing", "definedNames", "externalReferences", "pivotCaches", "customSheetViews",
        "customWorkbookViews", "fileSharing", "workbookProtection", "sheetProtection", "protectedRanges", "scenarios",
        "phoneticPr", "rPh", "smartTags", "cellWatches", "AlternateContent", "pageSetup", "fileRecoveryPr", "calcPr",
        "revisionPtr", "absPath", "sheetCalcPr", "functionGroups", "smartTagPr", "smartTagTypes",
    )
)  # fmt: skip
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_FREE = ("codeName", "cm", "vm", "uid")
"""Attributes that say nothing of a cell."""


def redact_sheets(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Raises `PiiIncomplete`, `RedactionUnproven`, and what parsers raise on broken files."""
    plan = plan_redaction(tree, decisions)
    package = OfficePackage(data, SHEETS)
    for name in package.texts():
        root = parse(package.parts[name])
        _clean(root)
        mask_runs(root, plan, detector)
        _mask_cells(root, plan, detector)
        _mask_names(root, plan, detector)
        package.parts[name] = write(root)
    mask_parts(package, plan, detector)
    return require_proof(package.write(), plan, reread)


def _clean(root: etree._Element) -> None:
    for element in list(root.iter()):
        name, parent = local_name(element), element.getparent()
        if parent is not None and (not name or name in _DROPPED):
            parent.remove(element)
            continue
        for key in list(element.attrib):
            qualified = etree.QName(str(key))
            related = qualified.namespace == _RELATED and name != "sheet"
            foreign = qualified.namespace is not None and qualified.namespace != _RELATED and "xml" not in str(key)[:6]
            if related or foreign or qualified.localname in _FREE:
                del element.attrib[key]


def _mask_cells(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    """Numbers and results of formulas stand in the cell itself; one that is masked becomes text."""
    for cell in root.iter("{*}c"):
        value = cell.find("{*}v")
        if value is None or not value.text or cell.get("t") == "s":
            continue
        if letters(value.text) in plan.needles or find_values(fold_text(value.text), plan, detector):
            cell.set("t", "str")
            value.text = MASK


def _mask_names(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    """A sheet whose name says what is masked has its number for a name."""
    for number, sheet in enumerate(root.iter("{*}sheet"), 1):
        if find_values(fold_text(str(sheet.get("name", ""))), plan, detector):
            sheet.set("name", f"Sheet {number}")
