"""Imports everything that reading may need, for a process that will lose file access."""

import codecs
import encodings
import pkgutil
from collections.abc import Collection
from importlib import import_module

from quire.models.cdom.original import Format
from quire.models.extract import contract
from quire.models.extract.document.confidence import confidence_forests
from quire.models.extract.document.levels import level_forests
from quire.models.extract.formats.common import installed
from quire.models.extract.formats.common.installed import find_installed
from quire.models.extract.layout.headings.decide import heading_forest
from quire.models.extract.layout.tables.scoring.find import load_weights
from quire.models.extract.pipeline.passes import DOCUMENT_PASSES, LAYOUT_PASSES, PAGE_PASSES
from quire.models.extract.registry import INSIDE, READERS, STATED
from quire.models.extract.text_quality.statistics import load_tables

_SKIPPED_CODECS = frozenset({"aliases", "mbcs", "oem"})
_CODECS_OF_PDF = (
    "ascii", "latin_1", "utf_8", "utf_8_sig", "utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "cp1252",
    "mac_roman", "idna", "raw_unicode_escape", "unicode_escape",
)  # fmt: skip
"""Codecs that Python and our own code need for a PDF; the engine decodes the file itself."""
_LAZY = (
    "unicodedata",
    "quire.models.extract.formats.common.unwrap",
    "quire.models.extract.pipeline.recognised",
    "quire.models.extract.pipeline.assemble",
)
_LAZY_BESIDE_PDF = ("quire.models.extract.formats.common.encryption",)


def preload(formats: Collection[Format] = ()) -> None:
    """Load the readers of `formats` (of all when empty), weights, codecs and JSON validators.

    Raises:
        ImportError: A reader cannot be imported.
    """
    needed = set(formats).union(*(INSIDE.get(format_, ()) for format_ in formats))
    targets = {target for format_, target in READERS.items() if not needed or format_ in needed}
    if not needed or not needed <= set(READERS):
        targets.update(find_installed(installed.READERS).values())
    for target in sorted(targets):
        import_module(target.split(":")[0])
    if not formats or STATED & set(formats):
        load_counters()
    if not formats or Format.PDF in needed:
        import_module("quire.models.extract.formats.pdf.repair").load_rewriter()
    passes = PAGE_PASSES if not formats or Format.PDF in needed else LAYOUT_PASSES
    for item in (*passes, *DOCUMENT_PASSES):
        item.load()
    for name in _LAZY if set(formats) == {Format.PDF} else (*_LAZY, *_LAZY_BESIDE_PDF):
        import_module(name)
    all_codecs = (module.name for module in pkgutil.iter_modules(encodings.__path__))
    for codec in _CODECS_OF_PDF if set(formats) == {Format.PDF} else all_codecs:
        if codec not in _SKIPPED_CODECS:
            _load_codec(codec)
    heading_forest()
    level_forests()
    confidence_forests()
    load_weights()
    load_tables()
    contract.page_adapter()
    contract.facts_adapter()


def load_counters() -> None:
    """Import the counters of formats without printed pages."""
    parts = import_module("quire.models.extract.coverage.stated.counted")
    for target in sorted({*parts.COUNTERS.values(), *find_installed(installed.COUNTERS).values()}):
        import_module(target.split(":")[0])


def _load_codec(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        return
