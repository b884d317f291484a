"""A redacted book: the pages of its spine, cleaned and masked, in a new package.

Not copied: title, authors and other package metadata, navigation, pictures, styles, fonts, scripts, and every part
outside the spine.
"""

import posixpath
import zipfile
from io import BytesIO
from typing import Any
from urllib.parse import unquote

from lxml import etree
from lxml import html as lxml_html

from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.office.package import EPOCH, parse
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.texts.html import mask_page, page_text
from quire.models.redaction.texts.plain import decode_marked, require_read

_CONTAINER = "META-INF/container.xml"
_ROOT = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_XHTML = "http://www.w3.org/1999/xhtml"
_PAGES = ("application/xhtml+xml", "text/html", "application/html+xml", "text/x-oeb1-document")
_ENDINGS = (".html", ".xhtml", ".htm")


def redact_epub(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact a book.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Parsers raise their own errors on broken files.
    """
    plan = plan_redaction(tree, decisions)
    with zipfile.ZipFile(BytesIO(data)) as package:
        sources = [_as_html(package.read(name)) for name in _spine(package)]
    require_read("\n".join(map(page_text, sources)), plan)
    pages = [_mask(source, plan, detector) for source in sources]
    return require_proof(_write(pages), plan, reread)


def _spine(package: zipfile.ZipFile) -> list[str]:
    """Return the pages of the spine in order, each once."""
    container = parse(package.read(_CONTAINER))
    part = next(
        (str(node.get("full-path")) for node in container.iter("{*}rootfile") if node.get("full-path")), None
    )  # fmt: skip
    if part is None:
        raise RedactionUnproven("the book names no package file")
    root, folder = parse(package.read(part)), posixpath.dirname(part)
    items = {str(item.get("id")): item for item in root.iter("{*}item")}
    names: dict[str, None] = {}
    held = set(package.namelist())
    for reference in root.iter("{*}itemref"):
        item = items.get(str(reference.get("idref")))
        href = unquote(str(item.get("href", "")).partition("#")[0]) if item is not None else ""
        name = posixpath.normpath(posixpath.join(folder, href))
        is_page = item is not None and (item.get("media-type") in _PAGES or name.lower().endswith(_ENDINGS))
        if href and is_page and name in held:
            names[name] = None
    return list(names)


def _as_html(content: bytes) -> bytes:
    """Return a page as HTML in UTF-8, because self-closing XML tags would swallow the text after them."""
    text = decode_marked(content)
    try:
        root: Any = parse(text.encode())
        lxml_html.xhtml_to_html(root)
        return bytes(etree.tostring(root, encoding="utf-8", method="html"))
    except etree.XMLSyntaxError:  # a page of HTML, or one with names of characters that only a document type explains
        return text.encode()


def _mask(source: bytes, plan: RedactionPlan, detector: Detector) -> bytes:
    made = mask_page(source, plan, detector)
    written = bytes(etree.tostring(made, encoding="UTF-8", xml_declaration=True, method="xml"))
    return written.replace(b"<html", f'<html xmlns="{_XHTML}"'.encode(), 1)  # as the root says it, without prefixes


def _write(pages: list[bytes]) -> bytes:
    names = [f"page{number}.xhtml" for number in range(1, len(pages) + 1)]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<?xml version="1.0" encoding="UTF-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"'
        ' unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<dc:identifier id="id">redacted</dc:identifier><dc:title>Redacted</dc:title><dc:language>und</dc:language>'
        f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    parts = {"mimetype": b"application/epub+zip", _CONTAINER: _ROOT.encode(), "book.opf": package.encode()}
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in (parts | dict(zip(names, pages, strict=True))).items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(info, content)
    return made.getvalue()
