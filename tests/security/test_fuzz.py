"""Requests made from the OpenAPI, right and wrong ones: none may end in a fault of ours or in an undescribed shape."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from quire.serve_apps.access.operations import Operation
from quire.serve_apps.api.app import list_operations
from quire.storage.store import open_store
from tests.api.harness import make_resources, reading
from tests.api.live import listening
from tests.conftest import SIGNING_KEY
from tests.postgres import TestServer
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.long

KEY = {"X-API-Key": "acme-admin"}
CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]
EXAMPLES = int(os.environ.get("QUIRE_FUZZ_EXAMPLES", "15"))
"""Requests for each operation and mode: 15 in the tests, 450 are fifty thousand in all (`make test SUITE=fuzz`)."""
LONGEST_QUERY = 60_000
"""Bytes of a query: the server in front refuses a longer request line itself, before the app sees it."""
MODES = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]


@pytest.fixture(scope="module")
def described(postgres_server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The description of a running app."""
    workdir: Path = tmp_path_factory.mktemp("fuzz")
    with postgres_server.database() as dsn:
        store = open_store(dsn, workdir, signing_key=SIGNING_KEY)
        with reading(store), listening(make_resources(store, dsn=dsn)) as url:
            yield schemathesis.openapi.from_url(f"{url}/openapi.json")
        store.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operation", list_operations().values(), ids=lambda operation: operation.id)
def test_no_request_ends_in_a_fault_or_an_undescribed_answer(
    described: Any, operation: Operation, mode: GenerationMode
) -> None:
    cases = described[operation.path][operation.method].as_strategy(generation_mode=mode)

    @settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def send(case: Any) -> None:
        assume(len(urlencode(case.query or {}, doseq=True)) < LONGEST_QUERY)
        case.call_and_validate(headers=KEY, checks=CHECKS, timeout=PATIENCE_S)

    try:
        send()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # a route that takes nothing cannot be given anything wrong
