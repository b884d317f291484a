"""A PDF built object by object in a millisecond, with the requested content only."""

import zlib
from dataclasses import dataclass, field


@dataclass
class PdfFile:
    """`catalog`, `page` and `trailer` take entries as they are written in the file."""

    objects: list[bytes] = field(default_factory=list)
    content: list[str] = field(default_factory=list)
    """Operators of the first page."""
    second: list[str] = field(default_factory=list)
    catalog: dict[str, str] = field(default_factory=dict)
    page: dict[str, str] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    resources: dict[str, dict[str, str]] = field(default_factory=dict)
    annotations: list[str] = field(default_factory=list)
    later: list[tuple[int, bytes]] = field(default_factory=list)
    """Objects that a second revision replaces."""
    comment: str = ""
    packed: bool = False

    def add(self, body: str) -> str:
        """A reference to a new object."""
        self.objects.append(body.encode("latin-1"))
        return f"{len(self.objects)} 0 R"

    def stream(self, data: str, entries: str = "") -> str:
        self.objects.append(self.stream_body(data, entries))
        return f"{len(self.objects)} 0 R"

    def stream_body(self, data: str, entries: str = "") -> bytes:
        raw = data.encode("latin-1")
        filtered = ""
        if self.packed:
            raw, filtered = zlib.compress(raw, 1), "/Filter /FlateDecode "
        return f"<< {entries} {filtered}/Length {len(raw)} >>\nstream\n".encode("latin-1") + raw + b"\nendstream"

    def resource(self, kind: str, name: str, value: str) -> None:
        self.resources.setdefault(kind, {})[name] = value

    def form(self, operators: str, entries: str = "", resources: str = "/Font << /F1 3 0 R /F2 4 0 R >>") -> str:
        """A form XObject with the fonts of the page."""
        return self.stream(
            operators,
            f"/Type /XObject /Subtype /Form /BBox [-600 -600 1200 1200] /Resources << {resources} >> {entries}",
        )

    def finish(self) -> bytes:
        pages, catalog, info = (self.add("") for _ in range(3))
        inner = " ".join(f"/{kind} << {_entries(found)} >>" for kind, found in self.resources.items())
        resources = f"<< /Font << /F1 3 0 R /F2 4 0 R >> {inner} >>"
        first = self._sheet(pages, resources, self.content, self.page, self.annotations)
        sheets = [first] + ([self._sheet(pages, resources, self.second, {}, [])] if self.second else [])
        self._set(pages, f"<< /Type /Pages /Count {len(sheets)} /Kids [{' '.join(sheets)}] >>")
        self._set(catalog, f"<< /Type /Catalog /Pages {pages} {_entries(self.catalog)} >>")
        self._set(info, f"<< {_entries(self.info)} >>")
        return self._written(catalog, info)

    def _sheet(
        self, pages: str, resources: str, content: list[str], more: dict[str, str], annotations: list[str]
    ) -> str:
        drawn = self.stream("\n".join(content))
        notes = f"/Annots [{' '.join(annotations)}]" if annotations else ""
        return self.add(
            f"<< /Type /Page /Parent {pages} /MediaBox [0 0 612 792] /Resources {resources} /Contents {drawn} {notes}"
            f" {_entries(more)} >>"
        )

    def _set(self, reference: str, body: str) -> None:
        self.objects[int(reference.split()[0]) - 1] = body.encode("latin-1")

    def _written(self, catalog: str, info: str) -> bytes:
        made = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + self.comment.encode("latin-1"))
        places = [self._put(made, number, body) for number, body in enumerate(self.objects, 1)]
        start = len(made)
        made += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
        made += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
        trailer = f"/Size {len(places) + 1} /Root {catalog} /Info {info}"
        made += f"trailer << {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
        for number, body in self.later:
            place, begin = self._put(made, number, body), len(made)
            made += f"xref\n{number} 1\n{place:010} 00000 n \ntrailer << {trailer} /Prev {start} >>\n".encode()
            made += f"startxref\n{begin}\n%%EOF\n".encode()
            start = begin
        return bytes(made)

    @staticmethod
    def _put(made: bytearray, number: int, body: bytes) -> int:
        place = len(made)
        made += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        return place


def start(packed: bool) -> PdfFile:
    """A file with its two fonts as objects 3 and 4; 1 and 2 are free for a later revision."""
    made = PdfFile(packed=packed)
    made.add("null")
    made.add("null")
    for font in ("Courier", "Courier-Bold"):
        made.add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>")
    return made


def _entries(found: dict[str, str]) -> str:
    return " ".join(f"/{key} {value}" for key, value in found.items())


def literal(text: str) -> str:
    return "(" + text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"


def written(text: str, way: int) -> str:
    """A PDF string: literal, in hexadecimal, with octal codes, or as UTF-16 (text strings only)."""
    match way % 4:
        case 0:
            return literal(text)
        case 1:
            return f"<{text.encode('latin-1').hex()}>"
        case 2:
            return "(" + "".join(f"\\{ord(char):03o}" for char in text) + ")"
        case _:
            return f"<feff{text.encode('utf-16-be').hex()}>"
