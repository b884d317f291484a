"""An index writer that is killed at a named point of its first batch. Run by test_writer.py."""

import sys
from pathlib import Path

from quire.storage.index.opened import IndexPlace, open_writer
from quire.storage.values import crash_points as crash
from tests.storage.index.library import WIDTH, entries
from tests.storage.scenes import ACME

uri, keywords, document_id, point = sys.argv[1:]
writer = open_writer(IndexPlace(uri=uri, keywords=Path(keywords), width=WIDTH))
crash.arm(point)
writer.write([entries(ACME, document_id, 1, ["apples ripen", "apples fall"])])
