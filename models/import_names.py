"""The root of `import quire`, and the choice of a process between the compiled reader and its sources.

A process decides at its first import of the reader, for good: modules of both kinds do not work with each other, and
`make up` compiles while the service runs.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType

IMPORT_ROOT = Path(__file__).absolute().parents[2]
"""The folder from which `import quire` works: the checkout, or site-packages."""
_READER = "quire.models.extract."
_NATIVE = Path(__file__).absolute().parent / "extract" / f"native__mypyc{EXTENSION_SUFFIXES[0]}"
"""The library with the code of all compiled modules; it is put in place last, and removed first."""


class _SourceFinder:
    """Finds modules of the reader, and only their sources."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of the source of a module of the reader; None for other modules."""
        if not name.startswith(_READER) or path is None:
            return None
        specs = (FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name) for folder in path)
        return next((spec for spec in specs if spec is not None), None)


def is_compiled() -> bool:
    """Whether the reader is compiled here, for this version of Python."""
    return _NATIVE.exists()


def import_sources() -> None:
    """Import the reader from its sources from now on, also where it is compiled."""
    if _SourceFinder not in sys.meta_path:
        sys.meta_path.insert(0, _SourceFinder)
