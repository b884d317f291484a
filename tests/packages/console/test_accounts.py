"""Accounts over their life: signing up and how often, letting in, passwords, sessions, leaving; plans."""

import asyncio
import re
from pathlib import Path

import pytest
from fastapi import FastAPI

from quire.cluster.serve.console_ports import ConsoleDatabase
from quire.serve_apps.access.addresses import read_networks, true_address
from quire.serve_apps.console.callers.callers import digest_cookie
from quire.serve_apps.console.context.resources import SignUp, SignUps
from quire.serve_apps.console.sending.watcher import Watcher
from quire.serve_apps.console.store.accounts import approve, close_account, find_account, make_link
from quire.serve_apps.console.store.plans import PLANS, change_plan, define_plan, list_plans, list_tenants
from quire.serve_apps.console.store.rows import TenantPlan, hooks_of
from quire.storage.access.audit import list_audit, seal, verify
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from tests.api.harness import PDF, files
from tests.packages.console.harness import (
    ENGINE_KEY,
    PASSWORD,
    Person,
    a_console,
    browser,
    csrf_of,
    resources_of,
    sign_up,
    watch,
)
from tests.waiting import PATIENCE_S

STRANGER = "198.51.100.7"
FORM = {"email": "ann@example.org", "password": PASSWORD}


def acts(store: Store, tenant_id: str) -> list[str]:
    return [entry.action for entry in reversed(list_audit(store, hooks_of(tenant_id)).items)]


def tenant_of(store: Store) -> str:
    return str(store.db.fetch_all("select id from console_tenants order by created_at")[0]["id"])


async def sign_up_from(app: FastAPI, address: str, email: str) -> int:
    async with browser(app) as pages:
        forwarded = {"X-Forwarded-For": f"6.6.6.6, {address}"}
        return (await pages.post("/sign-up", data=FORM | {"email": email}, headers=forwarded)).status_code


async def test_sign_ups_are_limited_per_address_and_hour(store: Store, tmp_path: Path) -> None:
    rules = SignUps(per_address=2, per_hour=4, trusted_proxies=("127.0.0.1",))
    async with a_console(resources_of(store, "http://127.0.0.1:9", tmp_path, sign_ups=rules)) as app:
        one = [await sign_up_from(app, STRANGER, f"{n}@a.org") for n in range(6)]
        others = [await sign_up_from(app, f"198.51.101.{n}", f"{n}@b.org") for n in range(3)]
    assert one == [303, 303, 429, 429, 429, 429]
    assert others == [303, 303, 429]  # the console's share of this hour is used


async def test_passwords_are_not_tried_faster_than_the_limit(store: Store, tmp_path: Path) -> None:
    rules = SignUps(sign_ins=3, trusted_proxies=("127.0.0.1",))
    async with a_console(resources_of(store, "http://127.0.0.1:9", tmp_path, sign_ups=rules)) as app:
        await sign_up(app)
        async with browser(app) as pages:
            here = {"X-Forwarded-For": STRANGER}
            wrong = [await pages.post("/sign-in", data=FORM | {"password": "x"}, headers=here) for _ in range(4)]
            right = await pages.post("/sign-in", data=FORM, headers={"X-Forwarded-For": "198.51.101.1"})
    assert [answer.status_code for answer in wrong] == [401, 401, 401, 429]
    assert int(wrong[-1].headers["retry-after"]) > 0
    assert right.status_code == 303


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("203.0.114.9", [], "203.0.114.9"),
        ("203.0.114.9", ["1.1.1.1"], "203.0.114.9"),  # nobody trusted says so
        ("10.0.0.1", ["6.6.6.6, 1.1.1.1"], "1.1.1.1"),
        ("10.0.0.1", ["1.1.1.1", "10.0.0.2"], "1.1.1.1"),
        ("10.0.0.1", [], None),
        ("10.0.0.1", ["nonsense"], None),
        ("127.0.0.1", [], None),
        ("::ffff:1.2.3.4", [], "1.2.3.4"),
        ("2a00:1:2:3:4:5:6:7", [], "2a00:1:2:3::/64"),
        (None, ["1.1.1.1"], None),
    ],
)
def test_only_a_trusted_proxy_says_where_a_request_comes_from(
    peer: str | None, forwarded: list[str], found: str | None
) -> None:
    assert true_address(peer, forwarded, read_networks(["10.0.0.0/8"])) == found


async def test_an_account_may_have_to_be_let_in(store: Store, tmp_path: Path) -> None:
    resources = resources_of(store, "http://127.0.0.1:9", tmp_path, sign_ups=SignUps(mode=SignUp.APPROVED))
    async with a_console(resources) as app, browser(app) as pages:
        assert (await pages.post("/sign-up", data=FORM)).status_code == 202
        assert (await pages.post("/sign-in", data=FORM)).status_code == 403
        assert (await pages.post("/sign-in", data=FORM | {"password": "x"})).status_code == 401
        assert not pages.cookies
        assert approve(ConsoleDatabase(store.db), FORM["email"])
        assert (await pages.post("/sign-in", data=FORM)).status_code == 303
        assert (await pages.get("/api/usage")).status_code == 200
    assert acts(store, tenant_of(store)) == ["account.created", "account.approved"]
    assert not approve(ConsoleDatabase(store.db), "nobody@example.org")


async def test_closed_console_refuses_new_accounts(store: Store, tmp_path: Path) -> None:
    resources = resources_of(store, "http://127.0.0.1:9", tmp_path, sign_ups=SignUps(mode=SignUp.CLOSED))
    async with a_console(resources) as app, browser(app) as pages:
        assert (await pages.get("/sign-up")).json()["code"] == "sign-up-closed"
        assert (await pages.post("/sign-up", data=FORM)).status_code == 403
        assert "/sign-up" not in (await pages.get("/sign-in")).text
        shown = await pages.get("/sign-up", headers={"Accept": "text/html"})
    assert (shown.status_code, shown.headers["content-type"]) == (403, "text/html; charset=utf-8")
    assert store.db.fetch_all("select id from console_accounts") == []


async def test_a_new_password_needs_the_old_one_and_signs_other_browsers_out(
    console: FastAPI, ann: Person, store: Store
) -> None:
    async with browser(console) as other:
        await other.post("/sign-in", data=FORM)
        sent = {"csrf": await csrf_of(ann.pages), "new": "a much better one"}
        assert (await ann.pages.post("/account/password", data=sent | {"password": "wrong"})).status_code == 403
        assert (await other.get("/api/usage")).status_code == 200
        short = await ann.pages.post("/account/password", data=sent | {"password": PASSWORD, "new": "short"})
        assert short.status_code == 422
        assert (await ann.pages.post("/account/password", data=sent | {"password": PASSWORD})).status_code == 200
        assert (await other.get("/api/usage")).status_code == 401
        assert (await ann.pages.get("/api/usage")).status_code == 200
        assert (await other.post("/sign-in", data=FORM)).status_code == 401
        assert (await other.post("/sign-in", data=FORM | {"password": "a much better one"})).status_code == 303
    assert "password.changed" in acts(store, tenant_of(store))


async def test_sessions_are_listed_and_ended_one_by_one_or_all(console: FastAPI, ann: Person) -> None:
    async with browser(console) as phone, browser(console) as old:
        for pages, agent in ((phone, "Phone"), (old, "Old <b>browser</b>")):
            await pages.post("/sign-in", data=FORM, headers={"User-Agent": agent})
        page = (await ann.pages.get("/account")).text
        assert "Phone" in page
        assert "<b>browser" not in page
        assert page.count("this one") == 1
        csrf, ids = await csrf_of(ann.pages), re.findall(r"/account/sessions/(ses_\w+)/close", page)
        assert len(ids) == 2
        await ann.pages.post(f"/account/sessions/{ids[0]}/close", data={"csrf": csrf})
        alive = [(await pages.get("/api/usage")).status_code for pages in (phone, old)]
        assert sorted(alive) == [200, 401]
        bob = await sign_up(console, "bob@example.org")
        await bob.pages.post(f"/account/sessions/{ids[1]}/close", data={"csrf": await csrf_of(bob.pages)})
        assert 200 in [(await pages.get("/api/usage")).status_code for pages in (phone, old)]
        await ann.pages.post("/account/sessions/close", data={"csrf": csrf})
        assert [(await pages.get("/api/usage")).status_code for pages in (phone, old)] == [401, 401]
        assert (await ann.pages.get("/api/usage")).status_code == 200


async def test_account_changes_need_the_form_token_of_the_session(ann: Person) -> None:
    for path in ("/account/password", "/account/sessions/close", "/account/close", "/account/sessions/x/close"):
        assert (await ann.pages.post(path, data={"password": PASSWORD, "new": "x" * 12})).status_code == 403
    assert (await ann.pages.get("/api/usage")).status_code == 200


async def test_a_link_sets_a_new_password_once(console: FastAPI, ann: Person, store: Store) -> None:
    assert make_link(ConsoleDatabase(store.db), FORM["email"], digest_cookie("the-link"))
    assert not make_link(ConsoleDatabase(store.db), "nobody@example.org", digest_cookie("other"))
    async with browser(console) as pages:
        assert "the-link" in (await pages.get("/new-password?link=the-link")).text
        sent = {"link": "the-link", "password": "a much better one"}
        assert (await pages.post("/new-password", data=sent | {"link": "guess"})).status_code == 410
        assert (await pages.post("/new-password", data=sent)).status_code == 200
        assert (await pages.post("/new-password", data=sent)).status_code == 410
        assert (await pages.post("/sign-in", data=FORM | {"password": "a much better one"})).status_code == 303
    assert (await ann.pages.get("/api/usage")).status_code == 401
    make_link(ConsoleDatabase(store.db), FORM["email"], digest_cookie("late"))
    with store.db.transaction() as conn:
        conn.execute("update console_links set expires_at = clock_timestamp()")
    async with browser(console) as pages:
        late = await pages.post("/new-password", data={"link": "late", "password": "yet another one"})
    assert late.status_code == 410


@pytest.mark.usefixtures("reader")
async def test_closed_account_is_gone_at_once_and_its_documents_soon(
    console: FastAPI, ann: Person, store: Store, engine_url: str
) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF))).json()
    await ann.api.get(f"/v1/jobs/{job['id']}?wait=60")
    await asyncio.to_thread(watch, store, engine_url)
    tenant, csrf = tenant_of(store), await csrf_of(ann.pages)
    await ann.pages.post("/api/webhooks", json={"url": "http://127.0.0.1:9/x"})
    assert (await ann.pages.post("/account/close", data={"csrf": csrf, "password": "wrong"})).status_code == 403
    assert (await ann.pages.post("/account/close", data={"csrf": csrf, "password": PASSWORD})).status_code == 200
    assert (await ann.pages.get("/api/usage")).status_code == 401
    assert (await ann.api.get("/v1/usage")).status_code == 401
    watcher = Watcher(store.db, engine_url, ENGINE_KEY)
    assert await asyncio.to_thread(watcher.delete_outdated) == 1
    watcher.drain(PATIENCE_S)
    left = {name: store.db.fetch_all(f"select to_jsonb(t)::text as row from {name} t") for name in TABLES}
    rows = [row["row"] for table in left.values() for row in table]
    assert not [row for row in rows if "ann@example.org" in row or "0.pdf" in row]
    assert [(row.email, row.pages) for row in list_tenants(store.db)] == [(None, 1)]
    assert acts(store, tenant)[-1] == "account.closed"
    await sign_up(console)  # the address is free again


TABLES = (
    *("console_accounts", "console_sessions", "console_tokens", "console_documents", "console_tenants"),
    *("console_submissions", "console_usage", "console_links", "webhooks", "deliveries", "audit"),
)


async def test_a_plan_is_defined_and_given_with_a_trail(ann: Person, store: Store) -> None:
    define_plan(
        ConsoleDatabase(store.db), TenantPlan(name="tiny", monthly_pages=1, concurrent_documents=2, retention_days=1)
    )
    tenant = change_plan(ConsoleDatabase(store.db), "ann@example.org", "tiny")
    assert change_plan(ConsoleDatabase(store.db), tenant, "tiny") == tenant
    usage = (await ann.api.get("/v1/usage")).json()
    assert (usage["plan"], usage["monthly_pages"]["limit"], usage["concurrent_documents"]["limit"]) == ("tiny", 1, 2)
    assert (await ann.api.post("/v1/jobs", files=files(PDF, PDF))).status_code == 402
    for who, plan in (("ann@example.org", "none"), ("nobody@example.org", "tiny")):
        with pytest.raises(NotFound):
            change_plan(ConsoleDatabase(store.db), who, plan)
    assert [plan.name for plan in list_plans(store.db)] == ["free", "standard", "tiny"]
    seal(store.db)
    assert acts(store, tenant)[-2:] == ["plan.changed", "plan.changed"]
    assert [entry.action for entry in list_audit(store, PLANS).items] == ["plan.defined"]
    assert verify(store.db, PLANS) is None


async def test_an_operator_may_close_an_account(ann: Person, store: Store) -> None:
    account = find_account(store.db, "ann@example.org")
    assert account is not None
    assert close_account(ConsoleDatabase(store.db), account)
    assert not close_account(ConsoleDatabase(store.db), account)
    assert (await ann.api.get("/v1/usage")).status_code == 401
