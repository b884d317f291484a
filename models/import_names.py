"""From where `import quire` works, and the import names of 0.11 and older (`models.cdom`, `storage.targets`, …).

Plugins may still use the old names; remove them in 0.13. Only processes that load plugins accept them, because a
library must not take such names from others.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

IMPORT_ROOT = Path(__file__).absolute().parents[2]
"""The folder from which `import quire` works: the checkout, or site-packages."""
_OLD = frozenset({"actors", "cluster", "configs", "models", "serve_apps", "storage"})


class _OldNames(MetaPathFinder, Loader):
    """Finds `models.x` as a module with the content of `quire.models.x`."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] not in _OLD:
            return None
        warnings.warn(f"import quire.{name}: the name {name} ends with Quire 0.13", FutureWarning, stacklevel=2)
        return ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module the same functions and classes; modules below it come from here too."""
        module.__dict__.update(vars(importlib.import_module(f"quire.{module.__name__}")) | vars(module))
        module.__path__ = []


def accept_old_names() -> None:
    """Let `import models` mean `quire.models` in this process."""
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OldNames())
