"""Requests with X-DE-Principals, sent at random to all operations: no answer may tell of a hidden document."""

import random
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from quire.actors.sql.runner import SqlRunner
from quire.serve_apps.api.context.resources import Ports
from quire.storage.store import Store
from tests.api.harness import TREE, client_of, make_resources, reading, serving
from tests.api.searching import search_ports
from tests.security.test_matrix import OPERATIONS, PATH, ROWS

GROUPS = ("group:hr", "group:sales", "user:ann", "user:ülo")
LASTING = {"delete_job", "delete_document", "erase_person"}  # they would leave nothing to look for

SHOWING = {"search", "query_tables", "list_all_documents", "count_documents", "get_document", "get_tree"}
"""Operations that show most; a fifth of the random calls are theirs."""


async def store_secrets(client: httpx.AsyncClient, chance: random.Random) -> dict[str, dict[str, Any]]:
    """Ingest documents whose name and text are canaries, each for some of the principals."""
    secrets = {}
    for number in range(24):
        canary = f"canary{number:02}x"
        allowed = chance.choice([None, [], ["group:hr"], ["group:sales"], ["group:hr", "user:ann"], ["user:ülo"]])
        tree = TREE | {
            "source": {"name": f"{canary}.epub", "format": "epub"},
            "blocks": [TREE["blocks"][0], TREE["blocks"][1] | {"text": f"apples of {canary}, {canary}@example.com"}],
        }
        params = {} if allowed is None else {"principals": allowed or ["nobody"]}
        job = (await client.post("/v1/ingest", json={"tree": tree}, params=params)).json()
        document = job["documents"][0]["document_id"]
        secrets[canary] = {"ids": PATH | {"job_id": job["id"], "document_id": document}, "allowed": allowed}
    return secrets


def hidden_words(secrets: Mapping[str, dict[str, Any]], principals: list[str]) -> set[str]:
    """Return what no answer to these principals may contain: names, texts and ids of hidden documents."""
    hidden = {
        canary: each["ids"]
        for canary, each in secrets.items()
        if each["allowed"] is not None and not {*each["allowed"]} & {*principals}
    }
    return {*hidden, *(ids["job_id"] for ids in hidden.values()), *(ids["document_id"] for ids in hidden.values())}


@pytest.mark.long
@pytest.mark.parametrize("calls", [300, pytest.param(10_000, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)])])
async def test_random_calls_never_show_hidden_documents(store: Store, tmp_path: Path, calls: int) -> None:
    chance = random.Random(20261128)
    served: set[str] = set()
    with search_ports(store, tmp_path) as (ports, _), ExitStack() as stack:
        found = Ports(search=ports.search, index_document=ports.index_document, sql=SqlRunner())
        async with serving(make_resources(store, ports=found)) as app, client_of(app, "acme-admin") as caller:
            stack.enter_context(reading(store))
            secrets = await store_secrets(caller, chance)
            for _ in range(calls):
                name = chance.choice(sorted(SHOWING if chance.random() < 0.2 else ROWS.keys() - LASTING))
                canary = chance.choice(sorted(secrets))
                principals = chance.sample(GROUPS, chance.randrange(3))
                operation, request = OPERATIONS[name], ROWS[name].request
                if name == "search":
                    request = {"params": {"q": "apples", "mode": chance.choice(["vector", "fts", "hybrid"])}}
                if chance.random() < 0.3 and name in ("search", "list_all_documents"):
                    request = {"params": {"q": "apples"} if name == "search" else {}}
                    request["params"]["principals"] = list(GROUPS)
                ids = {**MADE, **secrets[canary]["ids"]}
                answer = await caller.request(
                    operation.method,
                    operation.path.format(**ids),
                    headers={b"X-DE-Principals": ",".join(principals).encode()},
                    **request,
                )
                words = hidden_words(secrets, principals)
                asked = {canary, ids["job_id"], ids["document_id"]}
                told = {word for word in words if word.encode() in answer.content} - (asked - {canary})
                assert told == set(), (name, principals, answer.status_code, told)
                if asked & words and "{" in operation.path:
                    assert answer.status_code in (403, 404), (name, answer.status_code)
                if answer.status_code < 300:
                    served.add(name)
    assert served >= SHOWING


@pytest.mark.parametrize("header", ["a" * 201, ",".join("abc" * 40), "a\x7f,\x01"])
async def test_malformed_principals_header_is_refused(store: Store, header: str) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as caller:
        answer = await caller.get("/v1/documents", headers={b"X-DE-Principals": header.encode()})
        assert (answer.status_code, "invalid-principals" in answer.text) == (422, True)
        twice = [("X-DE-Principals", "a"), ("X-DE-Principals", "a")]
        assert (await caller.get("/v1/documents", headers=twice)).status_code == 422


async def test_operation_without_principals_is_refused(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as caller:
        answer = await caller.get("/v1/jobs", headers={"X-DE-Principals": ""})
        assert (answer.status_code, answer.json()["code"]) == (403, "principals-unsupported")


MADE = {
    "act": "act_" + "a" * 26, "webhook_id": "hook_" + "a" * 26, "delivery_id": "del_" + "a" * 26,
    "source_id": "src_" + "a" * 26, "target_id": "tgt_" + "a" * 26,
}  # fmt: skip
