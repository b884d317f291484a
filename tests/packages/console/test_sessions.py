"""Pages and sessions: cookies, forms that are ours, passwords, and nothing of a document that becomes markup."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.access.browser import CONTENT_POLICY
from quire.serve_apps.console.callers.hosts import is_known_host
from quire.serve_apps.console.context.page_rendering import FILES
from quire.serve_apps.console.context.passwords import Passwords
from quire.serve_apps.console.context.resources import SignUps
from quire.storage.store import Store
from tests.api.harness import PDF, files
from tests.packages.console.harness import PASSWORD, Person, a_console, browser, csrf_of, resources_of, sign_up

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "null"},
]


async def test_a_password_is_kept_as_a_hash_that_differs_each_time() -> None:
    quick = Passwords(cost=16, lanes=1)
    one, two = quick.hash("ein Geheimnis"), quick.hash("ein Geheimnis")
    assert one != two
    assert quick.check("ein Geheimnis", one)
    assert not quick.check("ein geheimnis", one)
    assert not quick.check("x", None)


async def test_signing_in_makes_a_new_cookie_and_ends_the_old_session(console: FastAPI, ann: Person) -> None:
    old = ann.pages.cookies["quire_console"]
    answer = await ann.pages.post("/sign-in", data={"email": " Ann@Example.org ", "password": PASSWORD})
    assert answer.status_code == 303
    assert ann.pages.cookies["quire_console"] != old
    async with browser(console) as thief:
        thief.cookies.set("quire_console", old)
        assert (await thief.get("/api/usage")).status_code == 401


async def test_a_cookie_is_http_only_strict_and_secure_behind_https(
    store: Store, engine_url: str, tmp_path: Path
) -> None:
    resources = resources_of(store, engine_url, tmp_path, public_url="https://console.test")
    async with a_console(resources) as app, browser(app) as pages:
        answer = await pages.post("/sign-up", data={"email": "a@b.c", "password": PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-quire_console=")
    assert {"HttpOnly", "Secure", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


async def test_a_wrong_password_and_an_unknown_address_look_the_same(console: FastAPI, ann: Person) -> None:
    async with browser(console) as pages:
        wrong = await pages.post("/sign-in", data={"email": "ann@example.org", "password": "wrong wrong wrong"})
        unknown = await pages.post("/sign-in", data={"email": "ann@example.org", "password": "x"})
        nobody = await pages.post("/sign-in", data={"email": "nobody@example.org", "password": "x"})
    assert wrong.status_code == unknown.status_code == nobody.status_code == 401
    assert wrong.text == unknown.text == nobody.text.replace("nobody@", "ann@")


async def guess(app: FastAPI, times: int, **headers: str) -> list[int]:
    """Return the statuses of wrong passwords for ann, from an unknown browser."""
    async with browser(app) as pages:
        form = {"email": "ann@example.org", "password": "wrong"}
        return [(await pages.post("/sign-in", data=form, headers=headers)).status_code for _ in range(times)]


async def test_after_several_wrong_passwords_the_next_is_not_looked_at(console: FastAPI, ann: Person) -> None:
    assert await guess(console, 10) == [401] * 8 + [429] * 2
    async with browser(console) as pages:
        right = await pages.post("/sign-in", data={"email": "ann@example.org", "password": PASSWORD})
    assert right.status_code == 429
    assert int(right.headers["retry-after"]) > 0


async def test_unknown_names_are_rate_limited_like_known_names(console: FastAPI) -> None:
    async with browser(console) as pages:
        form = {"email": "nobody@example.org", "password": "wrong"}
        tried = [(await pages.post("/sign-in", data=form)).status_code for _ in range(9)]
    assert tried == [401] * 8 + [429]


async def test_stranger_cannot_lock_out_an_account(store: Store, engine_url: str, tmp_path: Path) -> None:
    rules = SignUps(trusted_proxies=("127.0.0.1",), sign_ins=0)
    form = {"email": "ann@example.org", "password": PASSWORD}
    async with a_console(resources_of(store, engine_url, tmp_path, sign_ups=rules)) as app:
        ann = await sign_up(app)
        assert (await guess(app, 9, **{"X-Forwarded-For": "203.0.114.9"}))[-1] == 429
        async with browser(app) as elsewhere:
            there = await elsewhere.post("/sign-in", data=form, headers={"X-Forwarded-For": "198.51.101.1"})
        assert there.status_code == 303
        for last in range(10, 30):  # so many machines that the name itself has had enough
            await guess(app, 6, **{"X-Forwarded-For": f"203.0.114.{last}"})
        assert await guess(app, 1, **{"X-Forwarded-For": "198.51.101.2"}) == [429]
        known = await ann.pages.post("/sign-in", data=form, headers={"X-Forwarded-For": "198.51.101.3"})
        assert known.status_code == 303


async def test_a_browsers_mark_is_good_for_its_own_account_only(console: FastAPI, ann: Person) -> None:
    bob = await sign_up(console, "bob@example.org")
    await guess(console, 9)
    form = {"email": "ann@example.org", "password": PASSWORD}
    assert (await bob.pages.post("/sign-in", data=form)).status_code == 429
    assert (await ann.pages.post("/sign-in", data=form)).status_code == 303


async def test_correct_password_resets_the_count_of_failures(console: FastAPI, ann: Person) -> None:
    for _ in range(3):
        assert await guess(console, 5) == [401] * 5
        async with browser(console) as pages:
            right = await pages.post("/sign-in", data={"email": "ann@example.org", "password": PASSWORD})
        assert right.status_code == 303


async def test_a_wrong_password_costs_the_same_whether_there_is_an_account(
    store: Store, engine_url: str, tmp_path: Path
) -> None:
    """Time is work: as many hashes and as many statements that write."""

    class Counting(Passwords):
        checks: ClassVar[list[bool]] = []

        def check(self, password: str, hashed: str | None) -> bool:
            self.checks.append(hashed is not None)
            return super().check(password, hashed)

    rules = SignUps(trusted_proxies=("127.0.0.1",))
    async with a_console(
        resources_of(store, engine_url, tmp_path, passwords=Counting(cost=1 << 4, lanes=1), sign_ups=rules)
    ) as app:
        await sign_up(app)
        before = versions(store, "console_accounts")
        async with browser(app) as pages:
            for email in ("ann@example.org", "nobody@example.org"):
                await pages.post("/sign-in", data={"email": email, "password": "wrong"})
    assert Counting.checks == [True, False]
    assert versions(store, "console_accounts") == before


def versions(store: Store, table: str) -> list[str]:
    return [str(row["xmin"]) for row in store.db.fetch_all(f"select xmin from {table} order by id")]


@pytest.mark.parametrize(("email", "password"), [("no address", PASSWORD), ("a@b.c", "short"), ("a@b.c", "x" * 1025)])
async def test_a_bad_sign_up_shows_the_form_again(console: FastAPI, email: str, password: str) -> None:
    async with browser(console) as pages:
        assert (await pages.post("/sign-up", data={"email": email, "password": password})).status_code == 422


async def test_an_address_is_taken_once_however_many_race(console: FastAPI) -> None:
    people = [browser(console) for _ in range(8)]
    form = {"email": "race@example.org", "password": PASSWORD}
    answers = await asyncio.gather(*(person.post("/sign-up", data=form) for person in people))
    assert sorted(answer.status_code for answer in answers) == [303] + [409] * 7


@pytest.mark.parametrize("headers", FOREIGN)
async def test_cross_site_request_is_refused(ann: Person, headers: dict[str, str]) -> None:
    csrf = await csrf_of(ann.pages)
    sent = [
        await ann.pages.post("/api/tokens", json={"name": "x"}, headers=headers),
        await ann.pages.post("/tokens", data={"name": "x", "csrf": csrf}, headers=headers),
        await ann.pages.post("/sign-in", data={"email": "ann@example.org", "password": PASSWORD}, headers=headers),
        await ann.pages.post("/api/jobs", files=files(PDF), headers=headers),
        await ann.pages.post("/webhooks", data={"url": "http://127.0.0.1/", "csrf": csrf}, headers=headers),
    ]
    assert [answer.status_code for answer in sent] == [403] * 5


async def test_a_browsers_request_needs_the_sessions_form_token(console: FastAPI, ann: Person) -> None:
    ours = {"Origin": "http://console.test", "Sec-Fetch-Site": "same-origin"}
    csrf = await csrf_of(ann.pages)
    bob = await sign_up(console, "bob@example.org")
    foreign = await csrf_of(bob.pages)
    for token, status in ((csrf, 201), (foreign, 403), ("", 403)):
        made = await ann.pages.post("/api/tokens", json={"name": "x"}, headers=ours | {"X-CSRF-Token": token})
        assert made.status_code == status
    assert (await ann.pages.post("/tokens", data={"name": "x"})).status_code == 403


async def test_a_browser_that_hides_its_origin_is_still_ours(console: FastAPI) -> None:
    hidden = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
    async with browser(console) as pages:
        form = {"email": "ann@example.org", "password": PASSWORD}
        assert (await pages.post("/sign-up", data=form, headers=hidden)).status_code == 303


async def test_foreign_host_name_is_refused_as_cross_site(store: Store, engine_url: str, tmp_path: Path) -> None:
    form = {"email": "ann@example.org", "password": PASSWORD}
    rebound = {"Host": "evil.example:8000", "Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example:8000"}
    async with a_console(resources_of(store, engine_url, tmp_path)) as app, browser(app) as pages:
        assert (await pages.post("/sign-up", data=form, headers=rebound)).status_code == 403
        assert (await pages.post("/sign-up", data=form, headers=rebound | {"Origin": "null"})).status_code == 403
        direct = {"Host": "192.0.2.7:8000", "Sec-Fetch-Site": "same-origin", "Origin": "http://192.0.2.7:8000"}
        assert (await pages.post("/sign-up", data=form, headers=direct)).status_code == 303


@pytest.mark.parametrize(("origin", "status"), [("https://quire.example", 303), ("https://evil.example", 403)])
async def test_behind_a_proxy_that_changes_the_host_the_public_address_decides(
    store: Store, engine_url: str, tmp_path: Path, origin: str, status: int
) -> None:
    resources = resources_of(store, engine_url, tmp_path, public_url="https://quire.example/console")
    async with a_console(resources) as app, browser(app) as pages:
        headers = {"Host": "upstream:8080", "Sec-Fetch-Site": "same-origin", "Origin": origin}
        form = {"email": "ann@example.org", "password": PASSWORD}
        assert (await pages.post("/sign-up", data=form, headers=headers)).status_code == status


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost:8000", True),
        ("127.0.0.1", True),
        ("[::1]:8000", True),
        ("[2001:db8::7]:8000", True),
        ("CONSOLE.test", True),
        ("evil.example", False),
        ("", False),
        ("[", False),
    ],
)
def test_hosts_of_the_console(store: Store, tmp_path: Path, host: str, known: bool) -> None:
    assert is_known_host(resources_of(store, "http://127.0.0.1:9", tmp_path), host) is known


async def test_a_token_is_made_by_form_or_json_and_needs_a_session_and_a_name(console: FastAPI, ann: Person) -> None:
    assert (await ann.pages.post("/api/tokens", data={"name": "form"})).json()["token"].startswith("qc_")
    assert (await ann.pages.post("/api/tokens", json={})).status_code == 422
    assert (await ann.pages.post("/api/tokens", json={"name": "a\nb"})).status_code == 422
    assert (await ann.pages.post("/api/tokens", json=[1])).status_code == 422
    async with browser(console) as nobody:
        assert (await nobody.post("/api/tokens", json={"name": "x"})).status_code == 401
    assert (await ann.api.post("/api/tokens", json={"name": "x"})).status_code == 401


async def test_a_token_is_on_the_page_once(ann: Person) -> None:
    made = await ann.pages.post("/tokens", data={"name": "laptop", "csrf": await csrf_of(ann.pages)})
    secret = made.text.split('id="secret">')[1].split("<")[0]
    again = await ann.pages.get("/tokens")
    assert "laptop" in again.text
    assert secret not in again.text


async def test_every_page_has_the_strict_policy_and_is_not_kept(console: FastAPI, ann: Person) -> None:
    for path in ("/", "/tokens", "/webhooks", "/sign-in", "/sign-up"):
        answer = await ann.pages.get(path)
        assert answer.status_code == 200
        assert answer.headers.get_list("content-security-policy") == [CONTENT_POLICY]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "<script>" not in answer.text
        assert "style=" not in answer.text
    kept = await ann.pages.get(f"/static/{FILES.version}/console.js")
    assert "immutable" in kept.headers["cache-control"]
    assert (await ann.pages.get("/static/older/console.js")).headers["cache-control"] == "no-cache"
    assert (await ann.pages.get("/static/older/..%2fapp.py")).status_code == 404


async def test_a_visitor_without_a_session_is_led_to_the_sign_in_page(console: FastAPI) -> None:
    async with browser(console) as pages:
        answer = await pages.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


@pytest.mark.usefixtures("reader")
async def test_a_document_is_uploaded_followed_and_viewed_with_its_name_as_text(ann: Person) -> None:
    named = [("files", ("<img src=x onerror=alert(1)>.pdf", PDF, "application/pdf"))]
    job = (await ann.pages.post("/api/jobs", files=named)).json()
    ended = (await ann.pages.get(f"/api/jobs/{job['id']}?wait=60")).json()
    document = ended["documents"][0]["document_id"]
    listed = (await ann.pages.get("/")).text
    assert "<img src=x" not in listed
    assert f"/documents/{document}" in listed
    assert (await ann.pages.get(f"/documents/{document}")).status_code == 200
    for address in (f"/documents/{document}/preview", f"/documents/{document}/outputs/export/html"):
        page = await ann.pages.get(address)
        assert page.headers["content-type"].startswith("text/html")
        assert "sandbox" in page.headers["content-security-policy"]
    assert (await ann.pages.get(f"/documents/{document}/outputs/passwd.json")).status_code == 404


async def test_signing_out_ends_the_session(ann: Person) -> None:
    await ann.pages.post("/sign-out", data={"csrf": await csrf_of(ann.pages)})
    assert (await ann.pages.get("/api/usage")).status_code == 401


async def test_expired_session_is_refused(ann: Person, store: Store) -> None:
    with store.db.transaction() as conn:
        conn.execute("update console_sessions set expires_at = clock_timestamp()")
    answer: httpx.Response = await ann.pages.get("/api/usage")
    assert answer.status_code == 401


NUL_FORM = {"email": "a\0@x.org", "password": "\0" * 12}


@pytest.mark.parametrize(
    "sent",
    [
        {"data": NUL_FORM},
        {"json": NUL_FORM},
        {"content": b'{"email": "\\ud800@x.org", "password": "long enough it is"}'},
        {"content": b"[" * 200_000},
        {"content": b'{"a":' * 50_000},
        {"files": {"email": (None, "a\0@x.org"), "password": (None, "long enough it is")}},
    ],
)
async def test_invalid_form_data_is_422(console: FastAPI, sent: dict[str, Any]) -> None:
    headers = {"Content-Type": "application/json"} if "content" in sent else {}
    async with browser(console) as pages:
        for path in ("/sign-in", "/sign-up", "/new-password"):
            assert (await pages.post(path, headers=headers, **sent)).status_code == 422


async def test_address_with_nul_is_a_client_error(ann: Person) -> None:
    form = {"csrf": await csrf_of(ann.pages)}
    for path in ("/documents/%00", "/documents/a%00b/preview", "/static/%00/%00"):
        assert (await ann.pages.get(path)).status_code == 404
    for path in ("/tokens/%00/revoke", "/webhooks/%00/delete", "/account/sessions/%00/close"):
        assert (await ann.pages.post(path, data=form)).status_code == 404
    for path in ("/?before=%00", "/documents/x?tab=%00"):
        assert (await ann.pages.get(path)).status_code == 422
    assert (await ann.api.get("/v1/jobs/%00")).status_code == 404
