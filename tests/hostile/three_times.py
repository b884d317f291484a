"""A file made to harm ends each time as it did before."""

import io

from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome


def read_three_times(reader: DocumentReader, data: bytes, code: str) -> ReadOutcome:
    """Return the result of all three readings: the error of this code, or (no code) the same tree."""
    outcomes = [reader.read(io.BytesIO(data), ReadOptions()) for _ in range(3)]
    assert [outcome.error.value if outcome.error else "" for outcome in outcomes] == [code] * 3
    assert len({outcome.tree_json for outcome in outcomes}) == 1
    return outcomes[0]
