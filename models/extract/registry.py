"""Open a document: identify its format and pass its bytes to the reader of that format.

A reader is imported at the first document of its format; `preload.preload()` imports all of them, because a sandboxed
child cannot.
"""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from quire.models.cdom.errors import Malformed, UnsupportedFormat
from quire.models.cdom.original import IMAGE_FORMATS, Format, ReadOptions
from quire.models.extract.contract import OpenDocument
from quire.models.extract.formats.common.installed import load, load_reader
from quire.models.extract.formats.sniffing.signatures import is_locked, is_zip_cut, sniff

READERS: dict[Format, str] = {
    Format.PDF: "quire.models.extract.pipeline.pdf:open_pdf",
    Format.DOCX: "quire.models.extract.formats.word.docx:open_docx",
    Format.PPTX: "quire.models.extract.formats.slides:open_pptx",
    Format.XLSX: "quire.models.extract.formats.sheets.xlsx:open_xlsx",
    Format.RTF: "quire.models.extract.formats.rtf:open_rtf",
    Format.ODT: "quire.models.extract.formats.opendocument:open_odt",
    Format.ODS: "quire.models.extract.formats.opendocument:open_ods",
    Format.ODP: "quire.models.extract.formats.opendocument:open_odp",
    Format.EPUB: "quire.models.extract.formats.web.epub:open_epub",
    Format.HTML: "quire.models.extract.formats.common.html:open_html",
    Format.MHTML: "quire.models.extract.formats.mail:open_mhtml",
    Format.JATS: "quire.models.extract.formats.text.jats:open_jats",
    Format.EML: "quire.models.extract.formats.mail:open_eml",
    Format.MBOX: "quire.models.extract.formats.archive:open_mbox",
    Format.ZIP: "quire.models.extract.formats.archive:open_zip",
    Format.TAR: "quire.models.extract.formats.archive:open_tar",
    Format.CSV: "quire.models.extract.formats.text:open_csv",
    Format.MARKDOWN: "quire.models.extract.formats.text:open_markdown",
    Format.TXT: "quire.models.extract.formats.text:open_text",
    **dict.fromkeys(
        IMAGE_FORMATS,
        "quire.models.extract.formats.image:open_image",
    ),
}
"""Format → "module:function"; the function takes (data, options) and returns an `OpenDocument`.

Other formats are read by packages (`formats.common.installed`).
"""

INSIDE = {Format.DOCX: frozenset({Format.HTML, Format.MHTML, Format.RTF, Format.TXT})}
"""Formats whose files may be inside a file of another format and are read in its place."""

REFUSED = {
    Format.HEIC: "HEIC pictures are not read; convert them to JPEG or PNG",
}
"""Formats that are only recognised, with advice."""

STATED = frozenset(
    {
        Format.DOCX, Format.PPTX, Format.XLSX, Format.ODT, Format.ODS, Format.ODP, Format.RTF, Format.EPUB,
        Format.HTML, Format.MHTML, Format.EML, Format.CSV, Format.MARKDOWN, Format.TXT,
        Format.DOC, Format.PPT, Format.XLS, Format.XLSB, Format.MSG, Format.MBOX, Format.ZIP, Format.JATS,
        Format.ASCIIDOC, Format.TNEF, Format.SVG, Format.HWPX, Format.LATEX, Format.ORG, Format.RST, Format.TYPST,
        Format.TAR,
    }
)  # fmt: skip
"""Formats whose characters are counted independently of their reader."""
_WRAPPED = "quire.models.extract.formats.common.unwrap"
_LOCKED = "quire.models.extract.formats.common.encryption"
_COUNTED = "quire.models.extract.coverage.stated.counted"

Opener = Callable[[bytes, ReadOptions], OpenDocument]


def find_reader(format: Format) -> Opener:
    """Return the function that opens files of this format.

    Raises:
        UnsupportedFormat: The format is only recognised, or its package is not installed.
    """
    if format in REFUSED:
        raise UnsupportedFormat(REFUSED[format])
    return cast(Opener, load(READERS[format]) if format in READERS else load_reader(format.value))


def open_lock(data: bytes, options: ReadOptions) -> bytes:
    """Return the content of a signed file, an iWork preview or an encrypted Office package; other files unchanged.

    Raises `Encrypted`, `Malformed`, `UnsupportedFormat`.
    """
    data = import_module(_WRAPPED).unwrap(data)
    return cast(bytes, import_module(_LOCKED).unlock(data, options.password)) if is_locked(data) else data


def open_document(data: bytes, options: ReadOptions) -> OpenDocument:
    """Open the document in `data`. Raises `ExtractError` (unsupported, malformed, encrypted, too many pages).

    Formats without printed pages come with an account of their characters; PDFs and pictures create their own.
    """
    data = open_lock(data, options)
    if is_zip_cut(data):
        raise Malformed("the file is cut off")
    format = sniff(data)
    document = find_reader(format)(data, options)
    if format not in STATED:
        return document
    return cast(OpenDocument, import_module(_COUNTED).with_statement(document, format, data))
