"""The parts of an Office file that may leave: an allow-list by content type; everything else stays behind.

Gone by not being copied: properties, comments, people, custom XML, settings, embedded files and fonts, pictures,
charts, diagrams, glossaries, scripts, and every relation to the outside.
"""

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from posixpath import dirname, join, normpath

from lxml import etree

_MADE = "application/vnd.openxmlformats-officedocument."


@dataclass(frozen=True, slots=True)
class PackageKind:
    """`main` and `kept` are content types; `kept` says whether a part's text is read and cleaned.

    The others say how text looks. `macros`: the main type of a file with macros, which becomes one without.
    """

    main: str
    macros: str
    kept: Mapping[str, bool]


WORD = PackageKind(
    main=f"{_MADE}wordprocessingml.document.main+xml",
    macros="application/vnd.ms-word.document.macroEnabled.main+xml",
    kept={f"{_MADE}wordprocessingml.document.main+xml": True}
    | {f"{_MADE}wordprocessingml.{name}+xml": True for name in ("header", "footer", "footnotes", "endnotes")}
    | {f"{_MADE}wordprocessingml.{name}+xml": False for name in ("styles", "numbering")},
)
SLIDES = PackageKind(
    main=f"{_MADE}presentationml.presentation.main+xml",
    macros="application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
    kept={f"{_MADE}presentationml.presentation.main+xml": True}
    | {f"{_MADE}presentationml.{name}+xml": True for name in ("slide", "slideLayout", "slideMaster")}
    | {f"{_MADE}theme+xml": False},
)
SHEETS = PackageKind(
    main=f"{_MADE}spreadsheetml.sheet.main+xml",
    macros="application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    kept={f"{_MADE}spreadsheetml.sheet.main+xml": True}
    | {f"{_MADE}spreadsheetml.{name}+xml": True for name in ("worksheet", "sharedStrings")}
    | {f"{_MADE}spreadsheetml.styles+xml": False, f"{_MADE}theme+xml": False},
)
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip knows: the same bytes whenever a file is made."""
"""Year, month, day, hour, minute, second: the earliest time of a ZIP entry, one for every entry, so that the same
input gives the same bytes."""


def parse(data: bytes) -> etree._Element:
    """XML without entities, network or DTD."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def write(root: etree._Element) -> bytes:
    """Serialise an XML part in UTF-8 with its declaration."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


class OfficePackage:
    """The kept parts of an opened file by name, as bytes."""

    def __init__(self, data: bytes, kind: PackageKind = WORD) -> None:
        self._kind = kind
        self._zip = zipfile.ZipFile(BytesIO(data))
        self._types = self._read_types()
        if kind.main not in self._types.values():
            raise KeyError("no main part")
        self.parts = {name: self._zip.read(name) for name in self._zip.namelist() if self._type(name) in kind.kept}

    def texts(self) -> Iterator[str]:
        """Names of the parts that hold text, the main one first."""
        return (name for name in sorted(self.parts, key=self._order) if self._kind.kept[self._type(name)])

    def write(self) -> bytes:
        """Return the new package; equal parts give equal bytes."""
        written = BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
            for name, data in self._all_parts():
                made.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)
        return written.getvalue()

    def _all_parts(self) -> Iterator[tuple[str, bytes]]:
        yield "[Content_Types].xml", write(self._make_types())
        main = next(iter(sorted(self.parts, key=self._order)))
        yield "_rels/.rels", write(_make_relations([("rId1", f"{_OFFICE}/officeDocument", main)]))
        for name in sorted(self.parts, key=self._order):
            yield name, self.parts[name]
            relations = self._kept_relations(name)
            if relations:
                folder, _, base = name.rpartition("/")
                yield f"{folder}/_rels/{base}.rels", write(_make_relations(relations))

    def _kept_relations(self, name: str) -> list[tuple[str, str, str]]:
        """(id, type, target) of those that lead to a kept part of this file."""
        folder, _, base = name.rpartition("/")
        rels = f"{folder}/_rels/{base}.rels"
        if rels not in self._zip.namelist():
            return []
        relations = []
        for relation in parse(self._zip.read(rels)):
            target = str(relation.get("Target", ""))
            absolute = target.lstrip("/") if target.startswith("/") else normpath(join(dirname(name), target))
            if relation.get("TargetMode") != "External" and absolute in self.parts:
                relations.append((str(relation.get("Id")), str(relation.get("Type")), f"/{absolute}"))
        return sorted(relations)

    def _make_types(self) -> etree._Element:
        root = etree.Element(f"{{{_TYPES}}}Types", nsmap={None: _TYPES})
        ending = "application/vnd.openxmlformats-package.relationships+xml"
        etree.SubElement(root, f"{{{_TYPES}}}Default", Extension="rels", ContentType=ending)
        for name in sorted(self.parts):
            etree.SubElement(root, f"{{{_TYPES}}}Override", PartName=f"/{name}", ContentType=self._type(name))
        return root

    def _read_types(self) -> dict[str, str]:
        root = parse(self._zip.read("[Content_Types].xml"))
        types = {}
        for entry in root:
            if entry.get("PartName") is not None:
                kind = str(entry.get("ContentType"))
                types[str(entry.get("PartName")).lstrip("/")] = self._kind.main if kind == self._kind.macros else kind
        return types

    def _type(self, name: str) -> str:
        return self._types.get(name, "")

    def _order(self, name: str) -> tuple[bool, str]:
        return self._type(name) != self._kind.main, name


_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _make_relations(relations: list[tuple[str, str, str]]) -> etree._Element:
    root = etree.Element(f"{{{_RELATIONS}}}Relationships", nsmap={None: _RELATIONS})
    for name, kind, target in relations:
        path = target if target.startswith("/") else f"/{target}"
        etree.SubElement(root, f"{{{_RELATIONS}}}Relationship", Id=name, Type=kind, Target=path)
    return root
