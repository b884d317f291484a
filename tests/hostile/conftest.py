"""One sandboxed reader with a service's limits, for all files of a module without other limits."""

from collections.abc import Iterator

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()
