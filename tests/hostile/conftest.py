"""One reader in its sandbox, with the limits of a service, for all files of a module that states none of its own."""

from collections.abc import Iterator

import pytest

from actors.reading.read_document import DocumentReader
from actors.sandbox.limits import SandboxLimits


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()
