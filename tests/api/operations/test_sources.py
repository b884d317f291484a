"""Sources over HTTP."""

import asyncio
import threading
from pathlib import Path

import pytest

from quire.storage.sources.connectors.contract import Listing
from quire.storage.sources.connectors.directory import DirectoryConnector
from quire.storage.sources.gate import SourceGate
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, make_resources, reading, serving
from tests.waiting import PATIENCE_S


async def test_source_is_registered_synced_listed_and_deleted_with_its_documents(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.pdf").write_bytes(PDF)
    gate = SourceGate(workdir=store.workdir, root=root)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:
        source = (await admin.post("/v1/sources", json={"path": str(root), "every_minutes": 5})).json()
        assert (source["kind"], source["path"], source["uri"], source["last_sync"]) == (
            "directory",
            str(root),
            None,
            None,
        )
        with reading(store):
            report = (await admin.post(f"/v1/sources/{source['id']}/sync")).json()
            assert (report["added"], report["unchanged"], len(report["job_ids"])) == (1, 0, 1)
            job = (await admin.get(f"/v1/jobs/{report['job_ids'][0]}?wait=60")).json()
        assert (job["status"], job["documents"][0]["source_file"]) == ("succeeded", "a.pdf")
        again = (await admin.post(f"/v1/sources/{source['id']}/sync")).json()
        assert (again["added"], again["unchanged"], again["job_ids"]) == (0, 1, [])
        listed = (await admin.get("/v1/sources")).json()
        assert [entry["last_sync"]["unchanged"] for entry in listed] == [1]
        assert [entry["last_sync"]["finished_at"][-1] for entry in listed] == ["Z"]
        assert (await admin.delete(f"/v1/sources/{source['id']}?documents=true")).status_code == 204
        assert (await admin.get("/v1/sources")).json() == []


async def test_sync_continues_after_its_caller_was_answered(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.pdf").write_bytes(PDF)
    go_on, look = threading.Event(), DirectoryConnector.list_files

    def held(self: DirectoryConnector) -> Listing:
        assert go_on.wait(PATIENCE_S)
        return look(self)

    monkeypatch.setattr(DirectoryConnector, "list_files", held)
    gate = SourceGate(workdir=store.workdir, root=tmp_path)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:
        source = (await admin.post("/v1/sources", json={"path": str(tmp_path)})).json()
        place = f"/v1/sources/{source['id']}"
        assert (source["state"], source["sync_error"]) == ("idle", None)
        begun = await admin.post(f"{place}/sync?wait=0")
        assert (begun.status_code, begun.headers["location"]) == (202, place)
        assert begun.json()["state"] in ("waiting", "running")
        async with asyncio.timeout(PATIENCE_S):
            while (await admin.get(place)).json()["state"] != "running":
                await asyncio.sleep(0.01)
            assert (await admin.post(f"{place}/sync")).status_code == 409
            go_on.set()
            while (shown := (await admin.get(place)).json())["state"] != "idle":
                await asyncio.sleep(0.01)
        assert shown["last_sync"]["added"] == 1
        assert shown == (await admin.get("/v1/sources")).json()[0]
        assert (await admin.post(f"{place}/sync?wait=601")).status_code == 422


async def test_a_sync_that_fails_says_so_to_its_caller_and_afterwards(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    gate = SourceGate(workdir=store.workdir, root=tmp_path)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:
        source = (await admin.post("/v1/sources", json={"path": str(root)})).json()
        root.rmdir()
        refused = await admin.post(f"/v1/sources/{source['id']}/sync")
        shown = (await admin.get(f"/v1/sources/{source['id']}")).json()
    assert refused.status_code == 503
    assert (shown["state"], shown["sync_error"]) == ("idle", refused.json()["code"])


async def test_a_place_that_may_not_be_a_source_is_422(store: Store, tmp_path: Path) -> None:
    gate = SourceGate(workdir=store.workdir, root=tmp_path)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:
        bodies: list[dict[str, str]] = [
            {"path": "/etc"}, {"path": f"{tmp_path}/../x"}, {"path": "relative"}, {}, {"uri": "http://x/y"},
            {"path": str(tmp_path), "uri": "s3://bucket"}, {"path": "s3://bucket"}, {"uri": "s3://b?endpoint=x"},
        ]  # fmt: skip
        for body in bodies:
            refused = await admin.post("/v1/sources", json=body)
            assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "source-refused"), body
        for wrong in ({"path": 7}, {"path": str(tmp_path), "include": [""]}):
            assert (await admin.post("/v1/sources", json=wrong)).status_code == 422


async def test_the_same_place_with_the_same_globs_is_one_source(store: Store, tmp_path: Path) -> None:
    gate = SourceGate(workdir=store.workdir, root=tmp_path)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:
        first = await admin.post("/v1/sources", json={"path": str(tmp_path)})
        again = await admin.post("/v1/sources", json={"path": f"{tmp_path}/", "name": "again"})
        part = await admin.post("/v1/sources", json={"path": str(tmp_path), "include": ["*.pdf"]})
    assert (first.status_code, part.status_code) == (201, 201)
    assert (again.status_code, again.json()["code"]) == (409, "source-exists")


async def test_the_body_of_a_source_is_free_form(store: Store, tmp_path: Path) -> None:
    gate = SourceGate(workdir=store.workdir, root=tmp_path)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:
        made = await admin.post("/v1/sources", json={"path": str(tmp_path), "endpoint": "x", "team": {"name": "y"}})
    assert made.status_code == 201
    assert not {"endpoint", "team"} & made.json().keys()
