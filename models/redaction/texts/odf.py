"""Redacted OpenDocument text, sheets and slides: content and styles alone, cleared of what is masked."""

import zipfile
from io import BytesIO

from lxml import etree

from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.office.package import EPOCH, parse, write
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.planning.search import Search
from quire.models.redaction.planning.spelled import TextSlot, local_name, mask_attributes, mask_spelled, spell_mixed

_PARTS = ("content.xml", "styles.xml")
_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE = f"{_SPACE}office:1.0"
_MANIFEST = f"{_SPACE}manifest:1.0"
_KEPT_NAMES = (
    "office", "text", "table", "drawing", "style", "xsl-fo-compatible", "svg-compatible", "datastyle", "presentation",
)  # fmt: skip
_KEPT_SPACES = tuple(f"{_SPACE}{name}:" for name in _KEPT_NAMES)
_DROPPED = frozenset(
    (
        "scripts", "event-listeners", "annotation", "annotation-end", "tracked-changes", "change", "change-start",
        "change-end", "image", "object", "object-ole", "plugin", "applet", "floating-frame", "forms", "title", "desc",
        "bookmark", "bookmark-start", "bookmark-end", "reference-mark", "reference-mark-start", "reference-mark-end",
        "database-ranges", "named-expressions", "content-validations", "data-pilot-tables", "calculation-settings",
        "user-field-decls", "variable-decls", "sequence-decls", "dde-connection-decls", "hidden-text",
        "hidden-paragraph", "notes", "settings", "meta", "fill-image", "shapes",
    )
)  # fmt: skip
_BREAKS = frozenset(("p", "h", "table-row", "line-break", "tab", "table-cell"))


def redact_odf(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact an OpenDocument file.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Parsers raise their own errors on broken files.
    """
    plan = plan_redaction(tree, decisions)
    with zipfile.ZipFile(BytesIO(data)) as package:
        kind = package.read("mimetype").decode("ascii", "replace").strip()
        if not kind.startswith("application/vnd.oasis.opendocument.") or len(kind) > 80:
            raise RedactionUnproven("no OpenDocument file")
        parts = {name: package.read(name) for name in _PARTS if name in package.namelist()}
    for name, content in parts.items():
        root = parse(content)
        _clean(root)
        _mask(root, plan, detector)
        parts[name] = write(root)
    return require_proof(_pack(kind, parts), plan, reread)


def _clean(root: etree._Element) -> None:
    for element in list(root.iter()):
        name = local_name(element)
        space = str(etree.QName(element).namespace or "") if name else ""
        if element.getparent() is not None and (name in _DROPPED or not space.startswith(_KEPT_SPACES)):
            _remove(element)
            continue
        for key in list(element.attrib):
            qualified = etree.QName(str(key))
            known = str(qualified.namespace or "").startswith(_KEPT_SPACES)
            if not known or qualified.localname in ("formula", "string-value", "condition", "expression"):
                del element.attrib[key]


def _remove(element: etree._Element) -> None:
    """Remove the element and keep the text after it."""
    parent, tail = element.getparent(), element.tail
    if parent is None:
        return
    before = element.getprevious()
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _mask(root: etree._Element, plan: RedactionPlan, detector: Detector) -> None:
    """Mask text and attributes; a masked cell also loses its number or date."""
    for slot in mask_spelled(spell_mixed(root, _BREAKS, ("s",)), plan, detector):
        _drop_value(slot)
    search = Search(plan)
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if search.in_text(str(value)):
                del element.attrib[key]
    mask_attributes(root, plan, detector)


def _drop_value(slot: TextSlot) -> None:
    for above in slot.element.iterancestors():
        if local_name(above) == "table-cell":
            for key in [key for key in above.attrib if str(key).startswith(f"{{{_OFFICE}}}")]:
                del above.attrib[key]
            above.set(f"{{{_OFFICE}}}value-type", "string")
            return


def _pack(kind: str, parts: dict[str, bytes]) -> bytes:
    manifest = etree.Element(f"{{{_MANIFEST}}}manifest", nsmap={"manifest": _MANIFEST})
    manifest.set(f"{{{_MANIFEST}}}version", "1.2")
    for name, media in (("/", kind), *((name, "text/xml") for name in parts)):
        entry = etree.SubElement(manifest, f"{{{_MANIFEST}}}file-entry")
        entry.set(f"{{{_MANIFEST}}}full-path", name)
        entry.set(f"{{{_MANIFEST}}}media-type", media)
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo("mimetype", EPOCH), kind, zipfile.ZIP_STORED)
        for name, content in (*parts.items(), ("META-INF/manifest.xml", write(manifest))):
            made.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()
