"""A reader with small limits whose children also read probe documents."""

import io
from collections.abc import Callable, Iterator

import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import MIB, SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome
from tests.actors.sandbox.servers.probe import probe_document

ENTRY = "tests.actors.sandbox.servers.probe"
SMALL = SandboxLimits(
    memory_bytes=256 * MIB, page_cpu_s=1, open_cpu_s=2, total_cpu_s=6, stall_idle_s=60.0, output_bytes=16 * MIB,
    pixel_bytes=4 * MIB, formats=("pdf",),
)  # fmt: skip
"""A server for one format comes up in half the CPU time, and many here are shot. A page that spins is stopped after two
seconds (the kernel counts whole ones, and some were used before), twice: less than the document may use."""

ReadOrders = Callable[..., ReadOutcome]


@pytest.fixture(scope="session")
def probe_reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SMALL, entry=ENTRY)
    yield reader
    reader.close()


@pytest.fixture
def read_orders(probe_reader: DocumentReader) -> ReadOrders:
    """Read a probe document with these pages."""

    def read(*pages: str, opening: str = "") -> ReadOutcome:
        return probe_reader.read(io.BytesIO(probe_document(*pages, opening=opening)), ReadOptions())

    return read
