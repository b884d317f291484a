"""Redacted slides: shapes with text and tables, cleared of what is masked; pictures, notes and comments stay behind."""

from lxml import etree

from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.office.package import SLIDES, OfficePackage, parse, write
from quire.models.redaction.office.runs import mask_parts, mask_runs
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import Reread, plan_redaction
from quire.models.redaction.planning.spelled import local_name

_DROPPED = frozenset(
    (
        "pic", "AlternateContent", "timing", "transition", "extLst", "custDataLst", "controls", "hlinkClick",
        "hlinkHover", "hlinkMouseOver", "snd", "contentPart", "oleObj", "notesMasterIdLst", "handoutMasterIdLst",
        "custShowLst", "photoAlbum", "embeddedFontLst", "modifyVerifier", "kinsoku", "tags", "bgPr", "blipFill",
    )
)  # fmt: skip
_NAMES = frozenset(("descr", "title", "name"))
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LISTS = frozenset(("sldId", "sldMasterId", "sldLayoutId"))


def redact_slides(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact a presentation.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Parsers raise their own errors on broken files.
    """
    plan = plan_redaction(tree, decisions)
    package = OfficePackage(data, SLIDES)
    for name in package.texts():
        root = parse(package.parts[name])
        clean_slide(root)
        mask_runs(root, plan, detector)
        package.parts[name] = write(root)
    mask_parts(package, plan, detector)
    return require_proof(package.write(), plan, reread)


def clean_slide(root: etree._Element) -> None:
    """Remove everything but text from a slide, in place, with shape names and outgoing references."""
    for element in list(root.iter()):
        name = local_name(element)
        parent = element.getparent()
        if parent is not None and (not name or name in _DROPPED or _is_no_table(element, name)):
            parent.remove(element)
            continue
        for key in list(element.attrib):
            qualified = etree.QName(str(key))
            related = qualified.namespace == _RELATED and name not in _LISTS
            if related or (name == "cNvPr" and qualified.localname in _NAMES):
                del element.attrib[key]
        if name == "cNvPr":
            element.set("name", "")


def _is_no_table(element: etree._Element, name: str) -> bool:
    return (
        name == "graphicFrame" and next((child for child in element.iter() if local_name(child) == "tbl"), None) is None
    )
