"""A Word file: bytes in, an open document out. The whole package is read when it is opened, then only handed over.

Pages are those that the file states; boxes are null. Needs no file, no network and no import after it was loaded.
"""

from lxml import etree

from models.cdom.original import Format, ReadOptions
from models.extract.formats.common.opc import Package
from models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from models.extract.formats.word.docx.wordfile import WordFile


def open_docx(data: bytes, options: ReadOptions) -> FlowDocument:
    """The Word file in `data`. Raises `ExtractError`: malformed, encrypted, unsupported, a limit passed."""
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    package = Package(data)
    word = WordFile(package)
    pages = word.read()
    return FlowFile(
        format=Format.DOCX,
        pages=pages,
        engine="lxml",
        version=etree.__version__,
        reason="word-file",
        metadata=word.metadata,
        warnings=tuple(word.warnings),
        assets=word.assets,
    )
