"""From an original to a redacted file of its kind, by format. Comes in: bytes, tree, decisions. Goes out: bytes."""

import importlib
import zipfile
from collections.abc import Callable
from typing import Final

from lxml import etree

from quire.models.cdom.flags import PII_PREFIX
from quire.models.cdom.original import Format
from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector, Kind
from quire.models.pii.paint import load_painting
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.patterns.national import load_checks
from quire.models.pii.redact import Decisions
from quire.models.redaction.planning.errors import NotRedactable, RedactionUnproven
from quire.models.redaction.planning.plan import Reread

Redact = Callable[[bytes, Tree, Decisions, Detector, Reread], bytes]
_PLACES: Final = {
    Format.DOCX: ("docx.redact", "redact_docx"),
    Format.PPTX: ("office.slides", "redact_slides"),
    Format.XLSX: ("office.sheets", "redact_sheets"),
    Format.ODT: ("texts.odf", "redact_odf"),
    Format.ODS: ("texts.odf", "redact_odf"),
    Format.ODP: ("texts.odf", "redact_odf"),
    Format.HTML: ("texts.html", "redact_html"),
    Format.TXT: ("texts.plain", "redact_plain"),
    Format.MARKDOWN: ("texts.plain", "redact_plain"),
    Format.CSV: ("texts.plain", "redact_plain"),
    Format.EPUB: ("texts.epub", "redact_epub"),
    Format.EML: ("texts.mails", "redact_mail"),
    Format.MHTML: ("texts.mails", "redact_mail"),
    Format.RTF: ("texts.rtf", "redact_rtf"),
}
"""Module and function by format, imported when a file of it is asked for."""
_URL = f"{PII_PREFIX}{Kind.URL}"
"""If the scan searched for web addresses, the rest of the file is searched for them too."""
REDACTABLE = frozenset({Format.PDF, *_PLACES})


def redact_original(
    data: bytes, tree: Tree, decisions: Decisions, reread: Reread, password: str | None = None
) -> bytes:
    """Redact an original of any supported format.

    Raises:
        NotRedactable: The format is not supported.
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Engines raise their own errors on broken files.
    """
    detector = RegexDetector(urls=any(_URL in block.flags for block in tree.blocks))
    if tree.source.format == Format.PDF:
        from quire.models.redaction.pdf.redact import redact_pdf

        return redact_pdf(data, tree, decisions, detector, reread, password)
    place = next((place for format_, place in _PLACES.items() if format_ == tree.source.format), None)
    if place is None:
        raise NotRedactable(f"no redacted file of the format {tree.source.format}")
    try:
        return _load(place)(data, tree, decisions, detector, reread)
    except (etree.XMLSyntaxError, zipfile.BadZipFile, KeyError, RecursionError) as error:
        raise RedactionUnproven(f"the file cannot be rewritten: {type(error).__name__}") from None


def load_all() -> None:
    """Import what every format needs, for a process that cannot open files later."""
    load_painting()
    load_checks()
    importlib.import_module("quire.models.redaction.pdf.redact")
    for place in _PLACES.values():
        _load(place)


def _load(place: tuple[str, str]) -> Redact:
    redact: Redact = getattr(importlib.import_module(f"quire.models.redaction.{place[0]}"), place[1])
    return redact
