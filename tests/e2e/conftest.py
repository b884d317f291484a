"""One running service per test session."""

from collections.abc import Iterator

import pytest

from tests.e2e.service import Service, service_up

DOORS = {"SVC_CONSOLE": "1", "SVC_WEBHOOK_ALLOW": "127.0.0.1"}
"""The console beside the API; its receivers may be this machine."""


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """Up before the first test that wants it, down after the last."""
    with service_up(range(18500, 18600), **DOORS) as started:
        yield started
