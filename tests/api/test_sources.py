"""Sources over HTTP."""

from pathlib import Path

from storage.sources import SourceGate
from storage.store import Store
from tests.api.harness import PDF, client_of, make_resources, reading, serving


async def test_a_source_is_registered_synced_listed_and_deleted_with_its_documents(
    store: Store, tmp_path: Path
) -> None:
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
            job = (await admin.get(f"/v1/jobs/{report['job_ids'][0]}?wait=20")).json()
        assert (job["status"], job["documents"][0]["source_file"]) == ("succeeded", "a.pdf")
        again = (await admin.post(f"/v1/sources/{source['id']}/sync")).json()
        assert (again["added"], again["unchanged"], again["job_ids"]) == (0, 1, [])
        listed = (await admin.get("/v1/sources")).json()
        assert [entry["last_sync"]["unchanged"] for entry in listed] == [1]
        assert (await admin.delete(f"/v1/sources/{source['id']}?documents=true")).status_code == 204
        assert (await admin.get("/v1/sources")).json() == []


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
        for wrong in ({"path": 7}, {"path": str(tmp_path), "endpoint": "x"}, {"path": str(tmp_path), "include": [""]}):
            assert (await admin.post("/v1/sources", json=wrong)).status_code == 422
