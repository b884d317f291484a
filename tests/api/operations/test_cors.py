"""Calls from pages of other sites: those the operator names, with a key, never with a cookie."""

import httpx
import pytest

from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.store import Store
from tests.api.harness import client_of, make_resources, serving

APP = "https://app.example"
ASKED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key,content-type"}


async def ask(store: Store, origins: tuple[str, ...], method: str, path: str, **headers: str) -> httpx.Response:
    async with serving(make_resources(store, limits=ApiLimits(cors_origins=origins))) as app, client_of(app) as client:
        return await client.request(method, path, headers=headers)


async def test_by_default_no_other_site_may_call(store: Store) -> None:
    answers = [await ask(store, (), "OPTIONS", "/v1/jobs", Origin=APP, **ASKED)]
    answers.append(await ask(store, (), "GET", "/v1/health", Origin=APP))
    for answer in answers:
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answers[0].headers["allow"] == "GET, HEAD, OPTIONS, POST"


async def test_allowed_site_gets_the_methods_and_headers_it_may_send(store: Store) -> None:
    answer = await ask(store, (APP,), "OPTIONS", "/v1/jobs", Origin=APP, **ASKED)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == APP
    assert "POST" in answer.headers["access-control-allow-methods"].split(", ")
    sent = answer.headers["access-control-allow-headers"].lower().split(", ")
    assert {"x-api-key", "authorization", "x-de-org", "content-type", "idempotency-key"} <= set(sent)
    assert "access-control-allow-credentials" not in answer.headers
    assert (answer.headers["vary"], len(answer.headers["x-request-id"])) == ("Origin", 24)


@pytest.mark.parametrize("origin", ["https://evil.example", "http://app.example", "https://app.example.evil", "null"])
async def test_any_other_site_may_not(store: Store, origin: str) -> None:
    asked = await ask(store, (APP,), "OPTIONS", "/v1/jobs", Origin=origin, **ASKED)
    got = await ask(store, (APP,), "GET", "/v1/health", Origin=origin)
    for answer in (asked, got):
        assert "access-control-allow-origin" not in answer.headers
        assert "Origin" in answer.headers["vary"]


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/health", 200), ("/v1/stats", 401), ("/v1/nothing", 404), ("/v1/parse", 413)]
)
async def test_answers_and_refusals_can_be_read_by_a_named_site(store: Store, path: str, status: int) -> None:
    extra = {"Content-Length": str(1 << 40)} if status == 413 else {}
    limits = ApiLimits(cors_origins=(APP,))
    async with serving(make_resources(store, limits=limits)) as app, client_of(app, key=None) as client:
        answer = await client.request("POST" if extra else "GET", path, headers={"Origin": APP} | extra)
    assert answer.status_code == status
    assert answer.headers.get_list("access-control-allow-origin") == [APP]
    assert "X-Next-Cursor" in answer.headers["access-control-expose-headers"]


async def test_dashboard_refuses_cross_origin_requests(store: Store) -> None:
    for path in ("/ui/login", "/docs", "/"):
        assert "access-control-allow-origin" not in (await ask(store, ("*",), "GET", path, Origin=APP)).headers


async def test_every_site_may_where_the_operator_says_so(store: Store) -> None:
    answer = await ask(store, ("*",), "GET", "/v1/health", Origin="https://anything.example")
    assert answer.headers["access-control-allow-origin"] == "*"
