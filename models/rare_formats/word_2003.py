"""Word 2003 XML, a document in one XML text: its root in, the parts of the same document as a Word package out.

Elements have the same names in both formats apart from those that are renamed or moved to parts of their own here.
"""

from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from quire.models.extract.formats.common.xml import Element, O, R, V, W, number, val

_W_URI: Final = W[1:-1]
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS: Final = R[1:-1]
_AML: Final = "{http://schemas.microsoft.com/aml/2001/core}"
_KEPT: Final = frozenset((W, V, O, "{urn:schemas-microsoft-com:office:word}"))
"""Namespaces of elements that stay; others only wrap content."""
_RENAMED: Final = {"listPr": "numPr", "ilfo": "numId", "vmerge": "vMerge", "hmerge": "hMerge"}
_FORMATS: Final = {
    1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 22: "decimalZero", 23: "bullet", 255: "none",
}  # fmt: skip
"""Number formats of lists by their code; others count in figures."""
_ANNOTATIONS: Final = {"Insertion": "ins", "Deletion": "del", "Comment": "comment"}
_NOTES: Final = ("footnote", "endnote", "comment")
_HEADERS: Final = {"even": "even", "first": "first"}
_PROPERTIES: Final = (
    ("Title", "dc:title"), ("Author", "dc:creator"), ("Created", "dcterms:created"), ("LastSaved", "dcterms:modified"),
)  # fmt: skip
_DECLARED: Final = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'


@dataclass(slots=True)
class _PartMaker:
    """Moves what a package keeps apart out of the body, and collects the parts."""

    parts: dict[str, bytes] = field(default_factory=dict)
    relations: list[tuple[str, str]] = field(default_factory=list)
    """Kind and target of the relationships of the main part; their ids are `r1`, `r2`, …"""
    pictures: dict[str, str] = field(default_factory=dict)
    """Relationship ids by the names of pictures."""

    def relate(self, kind: str, target: str, part: bytes) -> str:
        """Add a part and return the id of the relationship to it."""
        self.parts[f"word/{target}"] = part
        self.relations.append((kind, target))
        return f"r{len(self.relations)}"

    def take_pictures(self, root: Element) -> None:
        for node in list(root.iter(W + "binData")):
            name = node.get(W + "name") or ""
            try:
                picture = b64decode("".join((node.text or "").split()))
            except (Base64Error, ValueError):
                continue
            ending = name.rpartition(".")[2][:5]
            self.pictures[name] = self.relate("image", f"media/image{len(self.pictures) + 1}.{ending}", picture)
        for node in root.iter(V + "imagedata"):
            if (relation := self.pictures.get(node.get("src") or "")) is not None:
                node.set(R + "id", relation)
        etree.strip_elements(root, W + "binData", with_tail=False)

    def take_notes(self, body: Element) -> None:
        """Move notes and comments to parts of their own, and leave references to them."""
        for name in _NOTES:
            notes = list(body.iter(W + name))
            for index, note in enumerate(notes, start=1):
                reference = etree.Element(f"{W}{name}Reference")
                _replace(note, reference)
                for node in (note, reference):
                    node.set(W + "id", str(index))
            if notes:
                self.relate(f"{name}s", f"{name}s.xml", _make_part(f"{name}s", notes))

    def take_headers(self, body: Element) -> None:
        """Move headers and footers of sections to parts of their own."""
        for name, kind in (("hdr", "header"), ("ftr", "footer")):
            for index, node in enumerate(list(body.iter(W + name)), start=1):
                reference = etree.Element(f"{W}{kind}Reference")
                reference.set(W + "type", _HEADERS.get(node.get(W + "type") or "", "default"))
                _replace(node, reference)
                part = _make_part(name, list(node))
                reference.set(R + "id", self.relate(kind, f"{kind}{index}.xml", part))


def convert(root: Element) -> dict[str, bytes]:
    """Return the parts of a package by name; `root` has the namespace of packages and is changed."""
    _rename(root)
    _convert_annotations(root)
    maker = _PartMaker()
    maker.take_pictures(root)
    body = root.find(W + "body")
    body = etree.Element(W + "body") if body is None else body
    _unwrap_containers(body)
    maker.take_headers(body)
    maker.take_notes(body)
    for kind, source, target in (("styles", "styles", "styles"), ("settings", "docPr", "settings")):
        node = root.find(W + source)
        if node is not None:
            maker.relate(kind, f"{target}.xml", _make_part(target, list(node)))
    if (lists := root.find(W + "lists")) is not None:
        maker.relate("numbering", "numbering.xml", _make_part("numbering", _convert_lists(lists)))
    entries = (
        f'<Relationship Id="r{i}" Type="{_KINDS}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(maker.relations, start=1)
    )
    return {
        "_rels/.rels": _make_relations(
            f'<Relationship Id="r1" Type="{_KINDS}/officeDocument" Target="word/document.xml"/>'
        ),
        "word/document.xml": _make_part("document", [body]),
        "word/_rels/document.xml.rels": _make_relations("".join(entries)),
        "docProps/core.xml": _make_core(root),
        **maker.parts,
    }


def _make_relations(entries: str) -> bytes:
    return f'<Relationships xmlns="{_RELATIONS}">{entries}</Relationships>'.encode()


def _make_part(name: str, nodes: list[Element]) -> bytes:
    part = etree.Element(W + name, nsmap={"w": _W_URI})
    part.extend(nodes)
    return etree.tostring(part)


def _make_core(root: Element) -> bytes:
    core = etree.fromstring(f"<core {_DECLARED}/>")
    for source, target in _PROPERTIES:
        prefix, _, name = target.partition(":")
        text = root.findtext(f"{O}DocumentProperties/{O}{source}")
        if text:
            etree.SubElement(core, f"{{{core.nsmap[prefix]}}}{name}").text = text
    return etree.tostring(core)


def _replace(node: Element, new: Element) -> None:
    parent = node.getparent()
    if parent is not None:
        new.tail, node.tail = node.tail, None
        parent.replace(node, new)


def _rename(root: Element) -> None:
    """Rename elements, and make links fields with their address."""
    for node in root.iter():
        if not isinstance(node.tag, str) or not node.tag.startswith(W):
            continue
        name = node.tag[len(W) :]
        if name in _RENAMED:
            node.tag = W + _RENAMED[name]
        elif name == "hlink":
            node.tag = W + "fldSimple"
            address, mark = node.get(W + "dest") or "", node.get(W + "bookmark") or ""
            node.set(W + "instr", f'HYPERLINK "{address}{"#" + mark if mark else ""}"'.replace("\\", "/"))


def _convert_annotations(root: Element) -> None:
    """Turn insertions, deletions and comments into the elements of packages; other annotations only wrap content."""
    for node in list(root.iter(_AML + "annotation")):
        kind = node.attrib.pop(W + "type", "").removeprefix("Word.")
        if kind in _ANNOTATIONS:
            node.tag = W + _ANNOTATIONS[kind]
        elif kind == "Formatting":
            node.clear(keep_tail=True)


def _unwrap_containers(body: Element) -> None:
    """Replace elements of other namespaces, such as sections and tags of own schemas, by their content."""
    tags = {node.tag for node in body.iter() if isinstance(node.tag, str)}
    foreign = [tag for tag in tags if tag[: tag.find("}") + 1] not in _KEPT]
    etree.strip_tags(body, *foreign, W + "cfChunk")


def _convert_lists(lists: Element) -> list[Element]:
    """Return the definitions of lists as packages have them."""
    for node in lists.iter(W + "listDef"):
        node.tag = W + "abstractNum"
        node.set(W + "abstractNumId", node.get(W + "listDefId") or "")
    for node in lists.iter(W + "nfc"):
        node.tag = W + "numFmt"
        node.set(W + "val", _FORMATS.get(number(val(node)), "decimal"))
    for node in lists.iter(W + "ilst"):
        node.tag = W + "abstractNumId"
    for node in lists.iter(W + "list"):
        node.tag = W + "num"
        node.set(W + "numId", node.get(W + "ilfo") or "")
    return [node for node in lists if node.tag in (W + "abstractNum", W + "num")]
