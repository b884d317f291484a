"""Import hook: a test imports the modules of the reader from their sources, also where they are compiled.

Compiled modules cannot be watched or replaced in part. `QUIRE_COMPILED=1` imports them as they are, and the services
that tests start use them in any case.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

COMPILED = "quire.models.extract"


class SourceFinder:
    """Finds modules of the reader, and only their sources."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of the source of a module of the reader; None for other modules."""
        if not name.startswith(f"{COMPILED}.") or path is None:
            return None
        specs = (FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name) for folder in path)
        return next((spec for spec in specs if spec is not None), None)


def import_sources() -> None:
    """Install the hook, once."""
    if not os.environ.get("QUIRE_COMPILED") and SourceFinder not in sys.meta_path:
        sys.meta_path.insert(0, SourceFinder)


import_sources()
