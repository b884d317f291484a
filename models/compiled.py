"""Layout as machine code: takes modules that mypyc compiled (`make compiled`) in place of their sources.

They lie in `compiled/<ABI>/` beside this package, with the digests of the sources they were made of. All of them are
taken or none: where one source has changed since, another interpreter runs or the library does not load, the sources
are read as always. Without the folder this module is not imported.
"""

import json
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

COMPILED = "compiled"
"""The folder beside this package, with one below it for each interpreter and platform."""
LIBRARY = "quire__mypyc"
"""The module that holds the code of all the others; mypyc makes its name of the group's, `quire`."""
SOURCES = "sources.json"
"""By the name of each compiled module the SHA-256 of its source."""
VARIABLE = "QUIRE_COMPILED"
"""Environment: `never` reads the sources whatever is there, `always` refuses to start without machine code."""
_NEVER, _ALWAYS = "never", "always"
SUFFIX = EXTENSION_SUFFIXES[0]
ABI = SUFFIX.split(".")[1]
"""Interpreter and platform, as "cpython-311-x86_64-linux-gnu"."""


class CompiledFinder(MetaPathFinder):
    """Finds the compiled modules in `folder` before their sources are found."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder, self.names = folder, frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.names:
            return None
        place = str(self._folder.joinpath(*fullname.split(".")).with_suffix(SUFFIX))
        return spec_from_file_location(fullname, place, loader=ExtensionFileLoader(fullname, place))


def prefer_compiled(root: str | Path) -> bool:
    """Take the compiled modules of the code in `root` from now on; false where there are none that fit.

    Raises `ImportError` where there must be some (`QUIRE_COMPILED=always`).
    """
    wish = os.environ.get(VARIABLE, "")
    root = Path(root)
    folder = root / COMPILED / ABI
    names = [] if wish == _NEVER else _find_names(root, folder)
    if not names or not _load_library(root, folder):
        if wish == _ALWAYS:
            raise ImportError(f"no compiled modules of these sources in {folder}: run `make compiled`")
        return False
    sys.meta_path.insert(0, CompiledFinder(folder, names))
    return True


def is_compiled(module: ModuleType) -> bool:
    """True for a module that runs as machine code."""
    return isinstance(module.__loader__, ExtensionFileLoader)


def _find_names(root: Path, folder: Path) -> list[str]:
    """The compiled modules; none where a source is not the one that was compiled."""
    try:
        stated: dict[str, str] = json.loads((folder / SOURCES).read_bytes())
        is_same = all(digest_source(root, name) == digest for name, digest in stated.items())
    except (OSError, ValueError):
        return []
    return sorted(stated) if is_same else []


def digest_source(root: Path, name: str) -> str:
    """The SHA-256 of a module's source."""
    import hashlib  # of no use where nothing was compiled

    return hashlib.sha256(root.joinpath(*name.split(".")).with_suffix(".py").read_bytes()).hexdigest()


def _load_library(root: Path, folder: Path) -> bool:
    """Load what holds the code; false where this machine cannot (a C library older than that of the build)."""
    place = str(folder / (LIBRARY + SUFFIX))
    spec = spec_from_file_location(LIBRARY, place, loader=ExtensionFileLoader(LIBRARY, place))
    try:
        assert spec is not None
        library = module_from_spec(spec)
    except ImportError:
        return False
    # The modules take their `__file__` from it as their code begins to run: weights lie beside the sources.
    library.__file__ = str(root / (LIBRARY + SUFFIX))
    sys.modules[LIBRARY] = library
    return True
