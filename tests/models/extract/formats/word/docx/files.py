"""Small Word files made from XML in memory, and their trees."""

import hashlib
import io
import zipfile
from collections.abc import Iterable

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Block, BlockType, Source, Tree
from quire.models.extract.formats.word.docx import open_docx
from quire.models.extract.pipeline.assemble import assemble

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": OFFICE,
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
PNG = b"\x89PNG\r\n\x1a\n small picture"


def wrap(tag: str, content: str) -> str:
    """A part's root element with every namespace declared."""
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{tag} {NAMESPACES}>{content}</w:{tag}>'


def relationships(entries: Iterable[tuple[str, str, str]]) -> str:
    """A relationships part; a target with `://` is external."""
    nodes = "".join(
        f'<Relationship Id="{id_}" Type="{OFFICE}/{kind}" Target="{target}"'
        + (' TargetMode="External"' if "://" in target or target.startswith("mailto:") else "")
        + "/>"
        for id_, kind, target in entries
    )
    return f'<Relationships xmlns="{PACKAGE}">{nodes}</Relationships>'


def make_docx(
    body: str,
    *,
    parts: dict[str, str] | None = None,
    relations: Iterable[tuple[str, str, str]] = (),
    files: dict[str, bytes] | None = None,
    document: str = "word/document.xml",
) -> bytes:
    """A package: `parts` are kind → content of the part `word/<kind>.xml`, `files` are put in as they are."""
    parts = parts or {}
    named = [(f"part{at}", kind.rstrip("0123456789"), f"{kind}.xml") for at, kind in enumerate(parts)]
    folder, _, name = document.rpartition("/")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("_rels/.rels", relationships([("r1", "officeDocument", document)]))
        package.writestr(document, wrap("document", f"<w:body>{body}</w:body>"))
        package.writestr(f"{folder}/_rels/{name}.rels", relationships([*named, *relations]))
        for kind, content in parts.items():
            package.writestr(f"{folder}/{kind}.xml", wrap(_ROOTS.get(kind.rstrip("0123456789"), kind), content))
        for path, data in (files or {}).items():
            package.writestr(path, data)
    return out.getvalue()


_ROOTS = {"header": "hdr", "footer": "ftr"}


def paragraph(text: str = "", *, style: str = "", properties: str = "", inside: str = "") -> str:
    """A paragraph with one run; `inside` is XML after the run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{run}{inside}</w:p>"


def item(text: str, num_id: int, level: int = 0) -> str:
    """A numbered paragraph."""
    return paragraph(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num_id}"/></w:numPr>')


def cell(content: str, properties: str = "") -> str:
    inner = content if content.startswith("<") else paragraph(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def table(*rows: str, properties: str = "") -> str:
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(rows)}</w:tbl>"


def style(
    id_: str, name: str, *, based_on: str = "", properties: str = "", run: str = "", kind: str = "paragraph"
) -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="{kind}" w:styleId="{id_}"><w:name w:val="{name}"/>{base}'
        f"<w:pPr>{properties}</w:pPr><w:rPr>{run}</w:rPr></w:style>"
    )


def read_tree(data: bytes, options: ReadOptions | None = None) -> Tree:
    options = options or ReadOptions()
    opened = open_docx(data, options)
    pages = [opened.read_page(number).content for number in opened.facts.page_numbers]
    source = Source(format="docx", sha256=hashlib.sha256(b"fixed").hexdigest(), bytes=0)
    return assemble(opened.facts, pages, source=source, options=options)


def read_blocks(body: str, *, parts: dict[str, str] | None = None) -> tuple[Block, ...]:
    return read_tree(make_docx(body, parts=parts)).blocks


def shape(blocks: Iterable[Block]) -> list[tuple[BlockType, int | None, str]]:
    """Type, level and text of each block."""
    return [(block.type, block.level, block.text) for block in blocks]
