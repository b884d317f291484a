"""The operator's pages by plain forms: sources, webhooks with their deliveries, audit, usage."""

import re
from collections.abc import AsyncIterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.access.license_keys import raw_public
from quire.serve_apps.ui.pages.target_form import FORMS
from quire.storage.sources.gate import SourceGate
from quire.storage.store import Store
from tests.api.harness import SIGNING, a_license, make_resources, reading, serving
from tests.ui.conftest import SAME_SITE, Visitor, visitor_of

RECEIVER = "https://93.184.215.14/hooks"
ADMIN_PAGES = ("/ui/sources", "/ui/webhooks", "/ui/webhooks/deliveries", "/ui/targets", "/ui/audit")


@pytest.fixture
async def operated(store: Store, dsn: str, tmp_path: Path) -> AsyncIterator[FastAPI]:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "a.pdf").write_bytes(b"%PDF a")
    gate = SourceGate(workdir=store.workdir, root=tmp_path)
    async with serving(make_resources(store, dsn=dsn, source_gate=gate)) as running:
        with reading(store):
            yield running


@pytest.fixture
async def admin(operated: FastAPI) -> AsyncIterator[Visitor]:
    one = visitor_of(operated)
    async with one.http:
        assert (await one.sign_in("acme-admin")).status_code == 303
        yield one


async def send(one: Visitor, path: str, **fields: str) -> Any:
    return await one.http.post(path, data={"csrf": one.csrf, **fields}, headers=SAME_SITE)


async def act(one: Visitor, name: str, **fields: str) -> str:
    """Return the address that the browser is sent to after the act."""
    answer = await send(one, "/ui/act", act=name, **fields)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def listed(one: Visitor, name: str) -> Any:
    return (await one.http.get(f"/ui/v1/{name}")).json()


async def test_a_source_is_added_synced_and_deleted(admin: Visitor, tmp_path: Path) -> None:
    place = str(tmp_path / "contracts")
    answer = await send(
        admin, "/ui/sources", place=place, name="Contracts", include="*.pdf\n\n", exclude="", every_minutes="60"
    )
    assert (answer.status_code, "Contracts" in answer.text, "Not synced yet" in answer.text) == (201, True, True)
    (source,) = await listed(admin, "sources")
    assert (source["path"], source["include"], source["every_minutes"]) == (place, ["*.pdf"], 60)
    assert await act(admin, "sync-source", id=source["id"]) == "/ui/sources"
    text = (await admin.http.get("/ui/sources")).text
    assert re.search(r"<b class=\"number\">1</b> added", text)
    assert await act(admin, "delete-source", id=source["id"], documents="1") == "/ui/sources"
    assert await listed(admin, "sources") == []


async def test_source_outside_the_root_is_refused_and_the_form_keeps_input(admin: Visitor) -> None:
    answer = await send(admin, "/ui/sources", place="/etc", name="<b>mine</b>", include="*.pdf", exclude="")
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert 'value="/etc"' in answer.text
    assert "&lt;b&gt;mine" in answer.text
    assert "<b>mine" not in answer.text
    assert await listed(admin, "sources") == []


async def test_bucket_is_recognised_by_its_scheme(admin: Visitor) -> None:
    answer = await send(admin, "/ui/sources", place="s3://", name="")
    assert answer.status_code == 422
    assert "s3" in answer.text


async def test_receiver_shows_its_secret_once_and_is_tested_resent_and_deleted(admin: Visitor) -> None:
    made = await send(admin, "/ui/webhooks", url=RECEIVER, **{"job.finished": "1", "document.finished": "1"})
    assert made.status_code == 201
    found = re.search(r'id="secret">([^<]+)<', made.text)
    assert found
    assert found[1] not in (await admin.http.get("/ui/webhooks")).text
    (hook,) = await listed(admin, "webhooks")
    assert hook["events"] == ["job.finished", "document.finished"]
    here = f"/ui/webhooks/{hook['id']}"
    assert await act(admin, "test-webhook", id=hook["id"]) == here
    (delivery,) = await listed(admin, "webhooks/deliveries")
    assert delivery["event_id"] in (await admin.http.get(here)).text
    assert delivery["event_id"] in (await admin.http.get("/ui/webhooks/deliveries")).text
    assert await act(admin, "redeliver", id=delivery["id"]) == here
    assert await act(admin, "delete-webhook", id=hook["id"]) == "/ui/webhooks"
    assert (await admin.http.get(here)).status_code == 404


async def test_new_secret_is_shown_once_and_a_disabled_receiver_is_enabled(admin: Visitor, store: Store) -> None:
    await send(admin, "/ui/webhooks", url=RECEIVER, **{"job.finished": "1"})
    (hook,) = await listed(admin, "webhooks")
    here = f"/ui/webhooks/{hook['id']}"
    rotated = await send(admin, here)
    found = re.search(r'id="secret">([^<]+)<', rotated.text)
    assert found
    assert found[1] not in (await admin.http.get(here)).text
    assert "signed with two secrets" in (await admin.http.get(here)).text
    with store.db.transaction() as conn:
        conn.execute("update webhooks set disabled_at = now()")
    assert "answered 410" in (await admin.http.get(here)).text
    assert await act(admin, "enable-webhook", id=hook["id"]) == here
    assert (await listed(admin, "webhooks"))[0]["disabled_at"] is None
    no_token = await admin.http.post(here, data={"csrf": "no"}, headers=SAME_SITE)
    assert no_token.status_code == 403


async def test_finished_delivery_can_be_sent_again_and_shows_its_error(admin: Visitor, store: Store) -> None:
    await send(admin, "/ui/webhooks", url=RECEIVER, **{"job.finished": "1"})
    (hook,) = await listed(admin, "webhooks")
    await act(admin, "test-webhook", id=hook["id"])
    with store.db.transaction() as conn:
        conn.execute("update deliveries set state = 'failed', attempt = 10, response_status = 503, error = 'gone away'")
    text = (await admin.http.get(f"/ui/webhooks/{hook['id']}")).text
    assert "gone away" in text
    assert "503" in text
    assert 'value="redeliver"' in text
    (delivery,) = await listed(admin, "webhooks/deliveries")
    await act(admin, "redeliver", id=delivery["id"])
    assert (await listed(admin, "webhooks/deliveries"))[0]["state"] == "pending"


@pytest.mark.parametrize("fields", [{"url": "https://127.0.0.1/x", "job.finished": "1"}, {"url": RECEIVER}])
async def test_a_receiver_that_may_not_be_is_refused_in_the_form(admin: Visitor, fields: dict[str, str]) -> None:
    answer = await send(admin, "/ui/webhooks", **fields)
    assert answer.status_code == 422
    assert f'value="{fields["url"]}"' in answer.text
    assert await listed(admin, "webhooks") == []


@pytest.mark.parametrize("path", ["/ui/sources", "/ui/webhooks"])
async def test_forms_of_operators_want_this_sessions_token(admin: Visitor, path: str) -> None:
    for fields, headers in (({"csrf": "no"}, SAME_SITE), ({"csrf": admin.csrf}, {"Origin": "https://evil.example"})):
        data = {"url": RECEIVER, "job.finished": "1", "place": "/", **fields}
        assert (await admin.http.post(path, data=data, headers=headers)).status_code == 403
    assert await listed(admin, "webhooks") == await listed(admin, "sources") == []


@pytest.mark.parametrize("path", ADMIN_PAGES)
async def test_operators_pages_are_closed_to_other_keys(operated: FastAPI, path: str) -> None:
    one = visitor_of(operated)
    await one.sign_in("acme-write")
    answer = await one.http.get(path)
    assert answer.status_code == 403
    assert "Your key does not allow this" in answer.text
    assert f'href="{path}"' not in (await one.http.get("/ui")).text
    data = {"csrf": one.csrf, "url": RECEIVER, "job.finished": "1", "place": "/"}
    if path in {"/ui/sources", "/ui/webhooks"}:
        assert (await one.http.post(path, data=data, headers=SAME_SITE)).status_code == 403


async def test_the_audit_trail_is_verified_and_a_changed_act_is_found(admin: Visitor, store: Store) -> None:
    await admin.upload(("a.pdf", b"%PDF"))
    text = (await admin.http.get("/ui/audit?verify=1")).text
    assert "job.submitted" in text
    assert "The chain is intact" in text
    with store.db.transaction() as conn:
        conn.execute("update audit set actor = 'somebody' where seq = 1")
    broken = (await admin.http.get("/ui/audit?verify=1")).text
    assert "The chain is broken at entry 1" in broken
    assert 'class="broken"' in broken
    assert "chain" not in re.sub(r"Verify the chain", "", (await admin.http.get("/ui/audit")).text)


async def test_without_the_licences_feature_the_audit_page_says_so(store: Store) -> None:
    license = LicenseHolder(a_license(features=()), {"k1": raw_public(SIGNING)})
    async with serving(make_resources(store, license=license)) as app:
        one = visitor_of(app)
        await one.sign_in("acme-admin")
        answer = await one.http.get("/ui/audit?verify=1")
        assert answer.status_code == 403
        assert "does not include the audit trail" in answer.text


async def test_usage_turns_over_months_and_names_keys(admin: Visitor) -> None:
    job = await admin.upload(("a.pdf", b"%PDF"))
    await admin.http.get(f"/ui/v1/jobs/{job['id']}?wait=60")
    text = (await admin.http.get("/ui/usage")).text
    assert "acme:admin" in text
    assert re.search(r'aria-label="Pages by day: 1 in all; most: \d+ \w+ \(1\)"', text)
    assert "Pages by hour, the last day" in text
    before = re.search(r'href="\?month=(\d{4}-\d\d)" aria-label="Month before"', text)
    assert before
    assert "Month after" not in text
    older = (await admin.http.get(f"/ui/usage?month={before[1]}")).text
    assert "No documents were read in this month" in older
    assert "Month after" in older
    assert (await admin.http.get("/ui/usage?month=soon")).status_code == 422


async def test_connection_of_a_source_is_tested_without_storing_it(admin: Visitor, tmp_path: Path) -> None:
    answer = await send(admin, "/ui/sources", place=str(tmp_path / "contracts"), kind="folder", test="1")
    assert (answer.status_code, "The place can be read." in answer.text) == (200, True)
    for place in ("/etc", str(tmp_path / "none"), "s3://<b>"):
        answer = await send(admin, "/ui/sources", place=place, test="1")
        assert (answer.status_code, 'role="alert"' in answer.text, "<b>" in answer.text) == (200, True, False)
    assert await listed(admin, "sources") == []


async def test_form_of_each_kind_has_its_settings_as_the_guide_lists_them(admin: Visitor) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "targets.md").read_text()
    for kind, form in FORMS.items():
        row = next(line for line in guide.splitlines() if line.startswith(f"| `{kind}` | `") and "POST" not in line)
        named = re.sub(r"\([^)]*\)", "", row.split("|")[2])
        assert re.findall(r"`(\w+)`", named) == [field.name for field in form.fields], kind
        text = (await admin.http.get(f"/ui/targets?kind={kind}")).text
        for field in form.fields:
            assert f'name="setting.{field.name}"' in text
            assert escape(field.help) in text
    assert 'name="settings"' in (await admin.http.get("/ui/targets?kind=sink")).text


async def test_connection_of_a_target_is_tested_without_storing_it(admin: Visitor) -> None:
    answer = await send(admin, "/ui/targets", kind="sink", settings="table=a", secret="pass", test="1")
    assert (answer.status_code, "The target answers." in answer.text) == (200, True)
    assert "Enter the secret again." in answer.text
    assert "pass" not in re.findall(r'<input id="secret"[^>]*>', answer.text)[0].replace("password", "")
    hosts = ("http://127.0.0.1/x", "http://169.254.169.254/latest", "http://[::1]/", "file:///etc/passwd", "<b>x</b>")
    for url in hosts:
        answer = await send(admin, "/ui/targets", kind="http", test="1", **{"setting.url": url})
        assert (answer.status_code, 'role="alert"' in answer.text, "<b>x" in answer.text) == (200, True, False)
    await send(admin, "/ui/targets", kind="postgres", test="1", **{"setting.url": "postgresql://u@db.internal/x"})
    assert await listed(admin, "targets") == []


async def test_target_is_added_by_the_fields_of_its_kind(admin: Visitor) -> None:
    fields = {"setting.table": " chunks ", "setting.url": ""}
    answer = await send(admin, "/ui/targets", kind="sink", name="Vectors", **fields)
    assert answer.status_code == 201, answer.text
    assert [row["settings"] for row in await listed(admin, "targets")] == [{"table": "chunks"}]
