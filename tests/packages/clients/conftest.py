"""Makes the Python client, a separate package, importable as if it were installed."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.store import Store
from tests.api.harness import make_resources, reading
from tests.api.live import listening
from tests.ui.papers import PATTERN_SCAN

CLIENTS = Path(__file__).resolve().parents[3] / "serve_apps" / "clients"
sys.path.insert(0, str(CLIENTS / "python"))


@pytest.fixture
def url(store: Store, dsn: str) -> Iterator[str]:
    """The address of a live service that reads what is sent."""
    with reading(store), listening(make_resources(store, dsn=dsn, redaction_scan=PATTERN_SCAN)) as base_url:
        yield base_url
