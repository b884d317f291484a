"""Read documents into one tree.

    from quire import read

    doc = read("report.pdf")
    print(doc.markdown)

`quire.models`, `quire.storage` and the other parts are links to the folders beside; a wheel holds the parts themselves.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire_client.documents.values import Values

    from quire.library import Document, Input, read, read_many
    from quire.models.cdom.chunk import Chunk
    from quire.models.cdom.errors import (
        Encrypted,
        Malformed,
        MlUnavailable,
        NoSuchPage,
        ResourceLimit,
        TooManyPages,
        UnsupportedFormat,
    )
    from quire.models.cdom.errors import ExtractError as ReadError
    from quire.models.cdom.version import SERVICE_VERSION as __version__  # noqa: N811

__all__ = [
    "Chunk",
    "Document",
    "Encrypted",
    "Input",
    "Malformed",
    "MlUnavailable",
    "NoSuchPage",
    "ReadError",
    "ResourceLimit",
    "TooManyPages",
    "UnsupportedFormat",
    "Values",
    "__version__",
    "read",
    "read_many",
]  # fmt: skip

_HOMES = {
    "Chunk": "models.cdom.chunk:Chunk",
    "ReadError": "models.cdom.errors:ExtractError",
    "__version__": "models.cdom.version:SERVICE_VERSION",
} | {name: f"library:{name}" for name in ("Document", "Values", "Input", "read", "read_many")}
"""Places of public names that are imported at their first use; all others are errors of `models.cdom.errors`."""


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that `import quire` costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'quire' has no attribute {name!r}")
    module, _, attribute = _HOMES.get(name, f"models.cdom.errors:{name}").partition(":")
    value = globals()[name] = getattr(import_module(f"quire.{module}"), attribute)
    return value
