"""The conformance table against the app itself: every row works, and a row can fail."""

import pytest

from storage.store import Store
from tests.api.harness import client_of, make_resources, reading, serving
from tests.conformance.__main__ import judge
from tests.conformance.rows import ROWS, Check, Probe, answers


async def test_every_row_works(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as http:
        probe = Probe(http)
        with reading(store):
            verdicts = {what: await judge(probe, check) for _, what, check in ROWS}
    failing = {what: verdict for what, verdict in verdicts.items() if verdict != "works"}
    unscanned = "FAILS: AssertionError 409 instead of 200"  # the reader of this test looks for no personal data
    assert failing == {"GET tree redacted": unscanned, "GET chunks redacted": unscanned}


async def test_a_row_that_does_not_hold_is_said_to_fail(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[tuple[str, str, Check]] = []
    monkeypatch.setattr("tests.conformance.rows.ROWS", rows)
    answers("x", "a wrong promise", "/v1/health", 418)
    async with serving(make_resources(store)) as app, client_of(app) as http:
        assert await judge(Probe(http), rows[0][2]) == "FAILS: AssertionError 200 instead of 418"
