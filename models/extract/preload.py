"""Imports everything that reading can need, for a process that will have no file access afterwards."""

import codecs
import encodings
import pkgutil
from importlib import import_module

from models.extract import pages_json
from models.extract.document.levels import level_forests
from models.extract.layout.headings.decide import heading_forest
from models.extract.layout.tables.scoring.find import load_weights
from models.extract.legible.statistics import load_tables
from models.extract.readers import READERS

_SKIPPED_CODECS = frozenset({"aliases", "mbcs", "oem"})
_LAZY = ("unicodedata", "models.extract.recognised", "models.extract.assemble")


def preload() -> None:
    """Load readers, weights, codecs and JSON validators. Raises `ImportError` when a reader cannot be imported."""
    for target in sorted(set(READERS.values())):
        import_module(target.split(":")[0])
    for name in _LAZY:
        import_module(name)
    for module in pkgutil.iter_modules(encodings.__path__):
        if module.name not in _SKIPPED_CODECS:
            _load_codec(module.name)
    heading_forest()
    level_forests()
    load_weights()
    load_tables()
    pages_json.page_adapter()
    pages_json.facts_adapter()


def _load_codec(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        return
