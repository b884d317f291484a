"""Versions that a tree and the service state: the release, the reader and the chunk generator."""

from importlib.metadata import version

from quire.models.import_names import is_compiled


def read_service_version() -> str:
    """Return the release number from the package metadata, e.g. `0.10.0`.

    Raises:
        PackageNotFoundError: The code runs without being installed. Run `make up` or `pip install -e .` first.
    """
    return version("quire")


SERVICE_VERSION = read_service_version()


def read_core_state() -> str:
    """Return `compiled` or `interpreted`: compiling the reader saves a third of the time of PDF pages."""
    return "compiled" if is_compiled() else "interpreted"


INTERFACE_VERSION = "0.9.3"
"""Version of the HTTP interface, as its OpenAPI document states it."""

READER_VERSION = 6
"""Version of what reads documents.

READER_VERSION is raised once per release cycle by the first commit that changes a tree against the last release.
`tests/golden` holds digests of the trees of the last release and fails when they changed and this number did not.
Trees of 0.9.20 and earlier, and ingested trees, have 0.
"""

RAG_GENERATOR_VERSION = "0.5.2"
"""Version of the component that makes chunks and answers searches, as the interface names it."""
