"""Versions that a tree and the service state: the release, the reader and the chunk generator."""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from pathlib import Path


def read_service_version() -> str:
    """Return the release number from the package metadata, e.g. `0.10.0`.

    Raises:
        PackageNotFoundError: The code runs without being installed. Run `make up` or `pip install -e .` first.
    """
    return version("quire")


SERVICE_VERSION = read_service_version()

_CORE = Path(__file__).parent.parent / "extract" / "core" / "words.py"
READING_CORE = "compiled" if any(_CORE.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES) else "interpreted"
"""Whether the reading core is compiled here, which saves a part of the time of PDF pages."""

INTERFACE_VERSION = "0.9.3"
"""Version of the HTTP interface, as its OpenAPI document states it."""

READER_VERSION = 4
"""Version of what reads documents.

READER_VERSION is raised once per release cycle by the first commit that changes a tree against the last release.
`tests/golden` holds digests of the trees of the last release and fails when they changed and this number did not.
Trees of 0.9.20 and earlier, and ingested trees, have 0.
"""

RAG_GENERATOR_VERSION = "0.5.2"
"""Version of the component that makes chunks and answers searches, as the interface names it."""
