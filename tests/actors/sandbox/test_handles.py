"""A reader whose process has no file handle left: the document is not to blame, and the next one is read."""

import io
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actors.reading.read_document import DocumentReader
from models.cdom.errors import ErrorCode
from models.cdom.original import ReadOptions
from models.cdom.ports import ReadOutcome
from tests.actors.sandbox.probe_server import probe_document


@contextmanager
def no_handle_left() -> Iterator[None]:
    """No file can be opened here, and none that is passed comes in: the next one would have too high a number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = os.open("/dev/null", os.O_RDONLY)
    os.close(probe)
    resource.setrlimit(resource.RLIMIT_NOFILE, (probe, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def read(reader: DocumentReader, original: io.FileIO) -> ReadOutcome:
    return reader.read(original, ReadOptions())


def test_a_process_without_handles_charges_no_document_and_reads_the_next(
    probe_reader: DocumentReader, tmp_path: Path
) -> None:
    path = tmp_path / "one.probe"
    path.write_bytes(probe_document("one"))
    with path.open("rb", buffering=0) as original:
        assert read(probe_reader, original).error is None
        with no_handle_left():
            outcomes = [read(probe_reader, original) for _ in range(2)]
        assert {outcome.error for outcome in outcomes} <= {None, ErrorCode.WORKER_KILLED}
        assert ErrorCode.WORKER_KILLED in {outcome.error for outcome in outcomes}
        assert not any(outcome.charged for outcome in outcomes if outcome.error is not None)
        assert read(probe_reader, original).error is None
