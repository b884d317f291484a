"""A redacted workbook: cells and their looks, cleared of what is masked; formulas are their values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from lxml import etree

from quire.models.cdom.tree import Tree
from quire.models.extract.formats.sheets.formats import show
from quire.models.extract.formats.sheets.xlsx.cells import read_codes
from quire.models.pii.kinds import Detector
from quire.models.pii.letters import letters
from quire.models.pii.redact import Decisions
from quire.models.redaction.office.package import SHEETS, OfficePackage, parse, write
from quire.models.redaction.office.runs import mask_parts, mask_runs
from quire.models.redaction.planning.folded import find_values, fold_text
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.planning.spelled import MASK, local_name

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
    """Redact a workbook.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Parsers raise their own errors on broken files.
    """
    plan = plan_redaction(tree, decisions)
    package = OfficePackage(data, SHEETS)
    roots = {name: parse(package.parts[name]) for name in package.texts()}
    for root in roots.values():
        _clean(root)
    shared = [_text_of(item) for root in roots.values() if local_name(root) == "sst" for item in root.iter("{*}si")]
    shown = ShownNumbers.of(package)
    for name, root in roots.items():
        _mask_cells(root, shared, shown, plan, detector)
        mask_runs(root, plan, detector)
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


@dataclass(frozen=True, slots=True)
class ShownNumbers:
    """Shows numbers, dates and times as the format of their cell; `codes` are format codes by cell style."""

    codes: Sequence[str]
    epoch_1904: bool

    @classmethod
    def of(cls, package: OfficePackage) -> "ShownNumbers":
        """Read the formats of a workbook."""
        roots = [parse(content) for content in package.parts.values()]
        styles: Any = next((root for root in roots if local_name(root) == "styleSheet"), None)
        properties = next((found for root in roots if (found := root.find("{*}workbookPr")) is not None), None)
        return cls(read_codes(styles), properties is not None and properties.get("date1904") in ("1", "true", "on"))

    def show(self, cell: etree._Element, value: str) -> str:
        """Return the text that a person sees; the stored one if it is no number."""
        style = str(cell.get("s", ""))
        code = self.codes[int(style)] if style.isdecimal() and int(style) < len(self.codes) else "General"
        try:
            return show(float(value), code, epoch_1904=self.epoch_1904)
        except (OverflowError, ValueError):
            return value


def _mask_cells(
    root: etree._Element, shared: list[str], shown: ShownNumbers, plan: RedactionPlan, detector: Detector
) -> None:
    """Mask numbers, dates and formula results, which the cell itself holds, and values that span neighbouring cells.

    A masked cell becomes text.
    """
    short = {letters(value) for value in plan.values} - plan.needles - plan.kept - {""}
    show_cell = partial(_shown, shared=shared, shown=shown)
    rows = [[cell for cell in map(show_cell, row) if cell.text] for row in root.iter("{*}row")]
    gone = find_values(fold_text("\n".join("\t".join(cell.text for cell in row) for row in rows)), plan, detector)
    start = 0
    for row in rows:
        places = []
        for cell in row:
            places.append((cell, range(start, start + len(cell.text))))
            start += len(cell.text) + 1
        start += not row
        masked = any(gone.intersection(place) for _, place in places)
        for cell, place in places:
            torn = place.start - 1 in gone or place.stop in gone
            inside = not gone.isdisjoint(place)
            is_stored = cell.stored is not None and letters(cell.stored) in plan.needles
            if is_stored or (inside and (torn or not cell.in_runs)) or (masked and letters(cell.text) in short):
                _blacken(cell.element)


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell with its text as shown; `in_runs`: the text is masked with the runs of its part.

    `stored`: the number behind the text, for other cells than texts.
    """

    element: etree._Element
    text: str
    in_runs: bool
    stored: str | None = None


def _shown(cell: etree._Element, shared: list[str], shown: ShownNumbers) -> ShownCell:
    kind, value = cell.get("t"), cell.find("{*}v")
    text = str(value.text or "") if value is not None else ""
    if kind == "s":
        return ShownCell(cell, shared[int(text)] if text.isdecimal() and int(text) < len(shared) else "", True)
    if kind == "inlineStr":
        return ShownCell(cell, _text_of(cell), True)
    return ShownCell(cell, shown.show(cell, text) if kind in (None, "n") else text, False, text)


def _text_of(element: etree._Element) -> str:
    return "".join(str(part.text or "") for part in element.iter("{*}t"))


def _blacken(cell: etree._Element) -> None:
    for child in list(cell):
        cell.remove(child)
    cell.set("t", "str")
    etree.SubElement(cell, str(cell.tag)[:-1] + "v").text = MASK


def _mask_names(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    """Rename each sheet whose name holds a masked value to its number."""
    for number, sheet in enumerate(root.iter("{*}sheet"), 1):
        if find_values(fold_text(str(sheet.get("name", ""))), plan, detector):
            sheet.set("name", f"Sheet {number}")
