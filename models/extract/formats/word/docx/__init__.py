"""Word files (.docx): bytes in, an open document out. The whole package is read on opening.

Pages are those that the file states; blocks have no boxes. Needs no file, no network and no import after loading.
"""

from lxml import etree

from quire.models.cdom.original import Format, ReadOptions
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.word.docx.wordfile import WordFile


def open_docx(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the Word file in `data`.

    Raises:
        ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
    """
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
