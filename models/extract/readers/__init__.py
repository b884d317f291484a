"""Opens a document: sniffs its format and hands its bytes to the reader of that format.

A reader is imported when its format is first met; `preload.preload()` imports all of them (a sandboxed child cannot).
"""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from models.cdom.errors import UnsupportedFormat
from models.cdom.original import Format, ReadOptions
from models.extract.readers.contract import OpenDocument
from models.extract.readers.sniffing.signatures import is_locked, sniff

READERS: dict[Format, str] = {
    Format.PDF: "models.extract.readers.pdf:open_pdf",
    Format.DOCX: "models.extract.readers.docx:open_docx",
    Format.PPTX: "models.extract.readers.pptx:open_pptx",
    Format.XLSX: "models.extract.readers.xlsx:open_xlsx",
    Format.DOC: "models.extract.readers.doc:open_doc",
    Format.XLS: "models.extract.readers.xls:open_xls",
    Format.XLSB: "models.extract.readers.xlsb:open_xlsb",
    Format.RTF: "models.extract.readers.rtf:open_rtf",
    Format.ODT: "models.extract.readers.odf:open_odt",
    Format.ODS: "models.extract.readers.odf:open_ods",
    Format.ODP: "models.extract.readers.odf:open_odp",
    Format.EPUB: "models.extract.readers.epub:open_epub",
    Format.HTML: "models.extract.readers.web:open_html",
    Format.MHTML: "models.extract.readers.mail:open_mhtml",
    Format.JATS: "models.extract.readers.jats:open_jats",
    Format.ASCIIDOC: "models.extract.readers.asciidoc:open_asciidoc",
    Format.EML: "models.extract.readers.mail:open_eml",
    Format.MSG: "models.extract.readers.msg:open_msg",
    Format.ZIP: "models.extract.readers.archive:open_zip",
    Format.CSV: "models.extract.readers.text:open_csv",
    Format.MARKDOWN: "models.extract.readers.text:open_markdown",
    Format.TXT: "models.extract.readers.text:open_text",
    **dict.fromkeys(
        (Format.PNG, Format.JPEG, Format.WEBP, Format.BMP, Format.GIF, Format.TIFF, Format.AVIF),
        "models.extract.readers.image:open_image",
    ),
}
"""Format → "module:function"; the function takes (data, options) and returns an `OpenDocument`."""

INSIDE = {Format.DOCX: frozenset({Format.HTML, Format.MHTML, Format.RTF, Format.TXT})}
"""Formats whose files may lie inside a file of another and are read in their place."""

STATED = frozenset(
    {
        Format.DOCX, Format.PPTX, Format.XLSX, Format.ODT, Format.ODS, Format.ODP, Format.RTF, Format.EPUB,
        Format.HTML, Format.MHTML, Format.EML, Format.CSV, Format.MARKDOWN, Format.TXT,
        Format.DOC, Format.XLS, Format.XLSB, Format.MSG, Format.JATS, Format.ASCIIDOC,
    }
)  # fmt: skip
"""Formats whose characters are counted apart from their reader."""
_LOCKED = "models.extract.readers.locked"
_COUNTED = "models.extract.readers.stated.parts"

Opener = Callable[[bytes, ReadOptions], OpenDocument]


def find_reader(found: Format) -> Opener:
    """The function that opens files of this format. Raises `UnsupportedFormat` for one that is only recognised."""
    if found not in READERS:
        raise UnsupportedFormat(f"{found.value} files are not read")
    module, name = READERS[found].split(":")
    return cast(Opener, getattr(import_module(module), name))


def open_lock(data: bytes, options: ReadOptions) -> bytes:
    """What is inside an Office package under a password; any other file as it is. Raises `Encrypted`, `Malformed`."""
    return cast(bytes, import_module(_LOCKED).unlock(data, options.password)) if is_locked(data) else data


def open_document(data: bytes, options: ReadOptions) -> OpenDocument:
    """The document in `data`, opened. Raises `ExtractError` (unsupported, malformed, encrypted, too many pages).

    Formats without printed pages come with a statement about their characters; PDFs and pictures make their own.
    """
    data = open_lock(data, options)
    found = sniff(data)
    document = find_reader(found)(data, options)
    if found not in STATED:
        return document
    return cast(OpenDocument, import_module(_COUNTED).with_statement(document, found, data))
