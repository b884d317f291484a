"""Which function says what a file of a format says; formats without one have pages that nobody judged."""

from importlib import import_module
from typing import cast

from models.cdom.original import Format
from models.extract.coverage.stated.counted import CountedDocument, FlowingDocument
from models.extract.coverage.stated.text import StatedText
from models.extract.formats.common.parse_cache import forget

_HERE = "models.extract.coverage.stated"
COUNTERS: dict[Format, str] = {
    Format.DOCX: f"{_HERE}.office:state_docx",
    Format.PPTX: f"{_HERE}.office:state_pptx",
    Format.XLSX: f"{_HERE}.workbook:state_xlsx",
    **dict.fromkeys((Format.ODT, Format.ODS, Format.ODP), f"{_HERE}.opendocument:state_odf"),
    Format.RTF: f"{_HERE}.rich_text:state_rtf",
    Format.EPUB: f"{_HERE}.markup:state_epub",
    Format.HTML: f"{_HERE}.markup:state_html",
    Format.MHTML: f"{_HERE}.mail:state_mhtml",
    Format.EML: f"{_HERE}.mail:state_eml",
    Format.CSV: f"{_HERE}.plain:state_csv",
    Format.DOC: f"{_HERE}.binary:state_doc",
    Format.XLS: f"{_HERE}.binary:state_xls",
    Format.XLSB: f"{_HERE}.binary:state_xlsb",
    Format.MSG: f"{_HERE}.binary:state_msg",
    Format.JATS: f"{_HERE}.articles:state_jats",
    Format.ASCIIDOC: f"{_HERE}.articles:state_asciidoc",
    Format.MARKDOWN: f"{_HERE}.plain:state_markdown",
    Format.TXT: f"{_HERE}.plain:state_text",
}
"""Format → "module:function"; the function takes the bytes and raises `ExtractError` where they cannot be judged."""


def with_statement(document: FlowingDocument, format_: Format, data: bytes) -> CountedDocument:
    """The document, its pages counted when the first of them is read."""
    return CountedDocument(document, lambda: _state(format_, data))


def _state(format_: Format, data: bytes) -> StatedText | None:
    module, name = COUNTERS[format_].split(":")
    try:
        return cast(StatedText, getattr(import_module(module), name)(data))
    except ImportError:
        raise  # in a child, where nothing can be imported any more: a fault of ours
    except Exception:  # parsers made for good files raise anything on others: nobody can judge this one
        return None
    finally:
        forget()
