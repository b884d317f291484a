"""A part's XML reduced to what a reader sees: text, paragraphs, tables and how they look."""

from lxml import etree

from quire.models.redaction.planning.spelled import local_name

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OLD_W = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_UNWRAPPED = frozenset(("ins", "moveTo", "hyperlink", "smartTag", "customXml", "fldSimple", "sdt", "sdtContent"))
"""Only what stands inside stays."""
_DROPPED = frozenset(
    (
        "del", "moveFrom", "delText", "instrText", "delInstrText", "fldChar", "ffData", "sdtPr", "sdtEndPr",
        "smartTagPr", "customXmlPr", "commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef",
        "bookmarkStart",
        "bookmarkEnd", "proofErr", "permStart", "permEnd", "rPrChange", "pPrChange", "tblPrChange", "tcPrChange",
        "trPrChange", "sectPrChange", "tblGridChange", "numberingChange", "cellIns", "cellDel", "moveFromRangeStart",
        "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "customXmlInsRangeStart", "customXmlInsRangeEnd",
        "customXmlDelRangeStart", "customXmlDelRangeEnd", "object", "pict", "drawing", "altChunk", "subDoc",
        "contentPart", "tblCaption", "tblDescription", "control", "movie", "background", "docPartObj", "docVars",
    )
)  # fmt: skip
_AUTHORS = frozenset(("author", "date", "initials", "tooltip"))
_KEPT_SPACES = frozenset((_W, _OLD_W, _M))
"""Elements and attributes of other namespaces are extensions that the text does not need."""


def clean_part(root: etree._Element) -> None:
    """In place: revisions accepted, fields and links become their text, text boxes become paragraphs behind theirs."""
    _hoist_text_boxes(root)
    _clean(root)


def _clean(parent: etree._Element) -> None:
    for child in list(parent):
        name = local_name(child)
        if not name or name in _DROPPED or _is_extension(child) or _is_unseen(child, name):
            _remove(child)
        elif name in _UNWRAPPED and etree.QName(child).namespace in (_W, _OLD_W):
            _clean(child)
            index = parent.index(child)
            grandchildren = list(child)
            parent.remove(child)
            for offset, grandchild in enumerate(grandchildren):
                parent.insert(index + offset, grandchild)
        else:
            _clean(child)
            _clean_attributes(child)


def _is_extension(element: etree._Element) -> bool:
    return etree.QName(element).namespace not in _KEPT_SPACES


def _is_unseen(element: etree._Element, name: str) -> bool:
    """Return whether the element is a run that Word does not show."""
    if name != "r":
        return False
    hidden = element.find("{*}rPr/{*}vanish")
    return hidden is not None and str(hidden.get(f"{{{_W}}}val", "1")) not in ("0", "false", "off")


def _clean_attributes(element: etree._Element) -> None:
    for key in list(element.attrib):
        name = etree.QName(str(key))
        relation = name.localname == "id" and str(name.namespace or "").endswith("/relationships")
        known = name.namespace in (_W, _OLD_W, _M, None, "http://www.w3.org/XML/1998/namespace") or relation
        if not known or name.localname.startswith("rsid") or name.localname in _AUTHORS:
            del element.attrib[key]


def _remove(element: etree._Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _hoist_text_boxes(root: etree._Element) -> None:
    """Move paragraphs of text boxes behind their anchor paragraph and drop the duplicate fallback form."""
    for fallback in list(root.iter(f"{{{_MC}}}Fallback")):
        _remove(fallback)
    for box in list(root.iter(f"{{{_W}}}txbxContent")):
        host = next((ancestor for ancestor in box.iterancestors(f"{{{_W}}}p")), None)
        if host is None or host.getparent() is None:
            continue
        for paragraph in reversed(list(box)):
            host.addnext(paragraph)
