"""Signing in, and what keeps other sites, forged cookies and revoked keys out."""

import re

import pytest
from fastapi import FastAPI

from quire.serve_apps.access.failed_auth_limiter import BURST
from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.ui.browser.session import SESSION_COOKIE, Sessions
from quire.storage.store import Store
from quire.storage.values.signing import Signer
from tests.api.harness import make_resources, serving
from tests.api.keys import ring_of
from tests.ui.conftest import SAME_SITE, SITE, Visitor, visitor_of


async def test_a_stranger_is_sent_to_the_form_and_back(app: FastAPI) -> None:
    one = visitor_of(app)
    answer = await one.http.get("/ui/jobs")
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui/login?next=/ui/jobs")
    entered = await one.sign_in(next="/ui/jobs")
    assert entered.headers["location"] == "/ui/jobs"


@pytest.mark.parametrize("onward", ["//evil.example", "https://evil.example", "/v1/jobs", "/ui/\\evil", ""])
async def test_after_signing_in_one_stays_here(app: FastAPI, onward: str) -> None:
    assert (await visitor_of(app).sign_in(next=onward)).headers["location"] == "/ui"


async def test_session_cookie_is_http_only_same_site_and_without_secret(app: FastAPI) -> None:
    cookie = (await visitor_of(app).sign_in()).headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert cookie.startswith("quire_session=")
    assert "acme-write" not in cookie


async def test_behind_tls_the_cookie_is_bound_to_the_host(app: FastAPI) -> None:
    one = visitor_of(app, site="https://quire.test")
    form = await one.http.get("/ui/login")
    token = re.search(r'name="token" value="([^"]+)"', form.text)
    assert token
    headers = {"Origin": "https://quire.test"}
    answer = await one.http.post("/ui/login", data={"token": token[1], "key": "acme-write"}, headers=headers)
    assert answer.headers["set-cookie"].startswith("__Host-quire=")
    assert answer.headers["set-cookie"].endswith("; Secure")
    assert (await one.http.get("/ui")).status_code == 200


async def test_wrong_key_is_refused_without_a_cookie(app: FastAPI) -> None:
    answer = await visitor_of(app).sign_in("guess")
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert "The key is unknown" in answer.text


async def test_a_planted_session_is_not_taken_over(app: FastAPI) -> None:
    first, second = visitor_of(app), visitor_of(app)
    await first.sign_in()
    planted = first.http.cookies["quire_session"]
    second.http.cookies.set("quire_session", planted, domain="quire.test", path="/")
    await second.sign_in("acme-read")
    assert second.http.cookies["quire_session"] != planted
    assert first.csrf != second.csrf


@pytest.mark.parametrize("cookie", ["", "x", "AAAA", "é", "e30", "A" * 400])
async def test_forged_cookie_is_ignored(app: FastAPI, cookie: str) -> None:
    raw = b"quire_session=" + cookie.encode()
    answer = await visitor_of(app).http.get("/ui", headers=[(b"cookie", raw)])
    assert answer.status_code == 303


def test_a_session_ends_with_its_time_its_key_and_its_signer(monkeypatch: pytest.MonkeyPatch) -> None:
    keys, signer = ring_of("acme=one,zeta=two"), Signer(bytes(16))
    sessions = Sessions(signer, keys)
    found = keys.find("one")
    assert found
    cookie = sessions.open(found, "sales")
    session = sessions.read(cookie)
    assert session
    assert (session.caller.tenant, session.caller.org) == ("acme", "sales")
    assert Sessions(Signer(b"1" * 16), keys).read(cookie) is None
    assert Sessions(signer, ring_of("acme=other,zeta=two")).read(cookie) is None
    monkeypatch.setattr("quire.serve_apps.ui.browser.session.time.time", lambda: 1e11)
    assert sessions.read(cookie) is None


def test_cookie_sent_twice_is_ignored() -> None:
    headers = [(b"cookie", b"quire_session=a; other=b; quire_session=c")]
    assert SESSION_COOKIE.read(headers, tls=False) is None
    assert SESSION_COOKIE.read([(b"cookie", b"other=b; quire_session=c")], tls=False) == "c"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": SITE},
        {"Sec-Fetch-Site": "same-site", "Origin": SITE},
        {"Sec-Fetch-Site": "none"},
    ],
)
async def test_another_site_changes_nothing_even_with_the_token(visitor: Visitor, headers: dict[str, str]) -> None:
    form = {"csrf": visitor.csrf, "act": "cancel", "job": "job_a"}
    assert (await visitor.http.post("/ui/act", data=form, headers=headers)).status_code == 403
    sent = headers | {"X-CSRF-Token": visitor.csrf}
    assert (await visitor.http.post("/ui/v1/jobs", files={"files": b"x"}, headers=sent)).status_code == 403
    assert (await visitor.http.post("/ui/logout", data={"csrf": visitor.csrf}, headers=headers)).status_code == 403
    assert (await visitor.http.get("/ui")).status_code == 200


@pytest.mark.parametrize("token", ["", "0" * 32, "é"])
async def test_this_site_changes_nothing_without_the_token(visitor: Visitor, token: str) -> None:
    form = {"csrf": token, "act": "cancel", "job": "job_a"}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).status_code == 403
    answer = await visitor.http.delete("/ui/v1/jobs/job_a", headers=SAME_SITE)
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign-request")


async def test_another_sessions_token_is_worth_nothing(app: FastAPI, visitor: Visitor) -> None:
    other = visitor_of(app)
    await other.sign_in()
    form = {"csrf": other.csrf, "act": "cancel", "job": "job_a"}
    assert (await visitor.http.post("/ui/act", data=form, headers=SAME_SITE)).status_code == 403


async def test_a_get_changes_nothing(visitor: Visitor) -> None:
    for path in ("/ui/act", "/ui/logout", "/ui/theme"):
        assert (await visitor.http.get(path)).status_code == 404


async def test_session_cookie_is_not_an_api_key(visitor: Visitor) -> None:
    assert (await visitor.http.get("/v1/jobs")).status_code == 401
    assert (await visitor.http.get("/ui/v1/jobs")).status_code == 200


async def test_key_in_a_header_does_not_change_the_session(visitor: Visitor) -> None:
    await visitor.upload(("a.pdf", b"%PDF"))
    headers = {"X-API-Key": "zeta-all", "X-DE-Org": "other", "Authorization": "Bearer zeta-all"}
    assert len((await visitor.http.get("/ui/v1/jobs", headers=headers)).json()) == 1


async def test_signing_out_forgets_the_session(visitor: Visitor) -> None:
    answer = await visitor.http.post("/ui/logout", data={"csrf": visitor.csrf}, headers=SAME_SITE)
    assert (answer.status_code, "Max-Age=0" in answer.headers["set-cookie"]) == (303, True)
    assert (await visitor.http.get("/ui")).status_code == 303


async def test_a_readers_key_sees_no_way_to_change_and_has_none(app: FastAPI) -> None:
    one = visitor_of(app)
    await one.sign_in("acme-read")
    assert 'id="upload"' not in (await one.http.get("/ui")).text
    headers = SAME_SITE | {"X-CSRF-Token": one.csrf}
    assert (await one.http.post("/ui/v1/jobs", files={"files": b"x"}, headers=headers)).status_code == 403


async def test_on_this_machine_the_default_token_is_offered(token_app: FastAPI) -> None:
    local = visitor_of(token_app, peer="127.0.0.1", site="http://localhost:8000")
    form = await local.http.get("/ui/login")
    assert "quire_token" in form.text
    token = re.search(r'name="token" value="([^"]+)"', form.text)
    assert token
    headers = {"Origin": "http://localhost:8000"}
    answer = await local.http.post("/ui/login", data={"token": token[1], "local": "1"}, headers=headers)
    assert answer.status_code == 303
    assert "quire_token" in (await local.http.get("/ui/access")).text


@pytest.mark.parametrize(
    ("peer", "site", "headers"),
    [
        ("203.0.113.7", "http://localhost", {}),
        ("127.0.0.1", "http://rebound.example", {}),
        ("127.0.0.1", "http://localhost", {"X-Forwarded-For": "127.0.0.1"}),
        ("127.0.0.1", "http://localhost", {"Via": "1.1 proxy"}),
    ],
)
async def test_local_token_is_hidden_from_other_visitors(
    token_app: FastAPI, peer: str, site: str, headers: dict[str, str]
) -> None:
    stranger = visitor_of(token_app, peer=peer, site=site)
    form = await stranger.http.get("/ui/login", headers=headers)
    assert "quire_token" not in form.text
    token = re.search(r'name="token" value="([^"]+)"', form.text)
    assert token
    sent = headers | {"Origin": site}
    answer = await stranger.http.post("/ui/login", data={"token": token[1], "local": "1"}, headers=sent)
    assert answer.status_code == 401


async def test_guessing_keys_at_the_form_is_rate_limited(store: Store) -> None:
    resources = make_resources(store, limits=ApiLimits(rate_limit_rpm=600))
    async with serving(resources) as limited:
        one = visitor_of(limited)
        answers = [await one.sign_in(f"guess-{number}") for number in range(BURST + 2)]
        assert {answer.status_code for answer in answers} == {401, 429}
        assert all("retry-after" in answer.headers for answer in answers if answer.status_code == 429)
        assert (await visitor_of(limited, peer="203.0.113.8").sign_in()).status_code == 303


async def test_invalid_organisation_is_refused(app: FastAPI) -> None:
    answer = await visitor_of(app).sign_in(org="../x")
    assert (answer.status_code, "set-cookie" in answer.headers) == (422, False)


@pytest.mark.parametrize("token", ["².aa", "1" * 5000 + ".aa", "9999999999.é", "", "."])
async def test_form_token_of_a_stranger_is_refused(app: FastAPI, token: str) -> None:
    answer = await visitor_of(app).http.post("/ui/login", data={"token": token, "key": "x"}, headers=SAME_SITE)
    assert answer.status_code in (400, 401, 403, 422)
