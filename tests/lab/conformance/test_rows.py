"""The conformance table against the app itself: every row works or says why it cannot be tried, and a row can fail."""

import pytest

from quire.models.pii.engines.choose import make_flagger
from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, reading, serving
from tests.lab.conformance.__main__ import judge
from tests.lab.conformance.probe import Check, Probe, answers
from tests.lab.conformance.rows import ROWS
from tests.ui.papers import PATTERN_SCAN

CALLERS = {"read": "acme-read", "write": "acme-write", "foreign": "zeta-all"}
NEEDS_A_MACHINE = {
    "the service is on another machine",
    "no folder that the service may read",
    "no search index here (409 search-not-configured)",
    "no console here (SVC_CONSOLE)",
    "SVC_WEBHOOK_ALLOW leaves this machine out",
}


async def test_every_row_works_or_states_a_reason(store: Store) -> None:
    flag = make_flagger("regex", ("en",))
    async with (
        serving(make_resources(store, flag_tree=flag, redaction_scan=PATTERN_SCAN)) as app,
        client_of(app, "acme-admin") as http,
    ):
        probe = Probe(http, key_of=CALLERS.get)
        with reading(store):
            verdicts = {what: await judge(probe, check) for _, what, check in ROWS}
    failing = {what: verdict for what, verdict in verdicts.items() if verdict.startswith("FAILS")}
    assert failing == {}
    assert {verdict.removeprefix("not run: ") for verdict in verdicts.values()} <= NEEDS_A_MACHINE | {"works"}


async def test_a_row_that_does_not_hold_is_said_to_fail(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[tuple[str, str, Check]] = []
    monkeypatch.setattr("tests.lab.conformance.probe.ROWS", rows)
    answers("x", "a wrong promise", "/v1/health", 418)
    async with serving(make_resources(store)) as app, client_of(app) as http:
        assert await judge(Probe(http), rows[0][2]) == "FAILS: AssertionError 200 instead of 418"
