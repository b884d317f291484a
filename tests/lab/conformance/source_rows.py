"""Sources: asked while keys of one tenant are in force, for a second one closes a fence that all share."""

from tests.lab.conformance.probe import SAMPLE, NotRun, Probe, members, problem, row


@row("4 sources", "POST, GET, sync, DELETE of a source: 201, 200, SyncReport, 204")
async def source(probe: Probe) -> None:
    if probe.folder is None:
        raise NotRun("no folder that the service may read")
    (probe.folder / "a.pdf").write_bytes(SAMPLE.read_bytes())
    body = {"path": str(probe.folder), "team": "free-form"}
    made = await probe.http.post("/v1/sources", json=body)
    if made.status_code == 422:
        raise NotRun("the service's fence leaves this folder out")
    members(made.json(), "id kind created_at last_sync path")
    place = f"/v1/sources/{made.json()['id']}"
    problem(await probe.ask("POST", "/v1/sources", 409, json=body), "source-exists")
    report = (await probe.ask("POST", f"{place}/sync", 200, params={"wait": 60})).json()
    members(report, "source_id job_ids added changed removed unchanged skipped started_at finished_at")
    assert report["added"] == 1, str(report)
    await probe.finished(report["job_ids"][0])
    again = (await probe.ask("POST", f"{place}/sync", 200, params={"wait": 60})).json()
    assert (again["added"], again["unchanged"]) == (0, 1), str(again)
    (probe.folder / "a.pdf").unlink()
    gone = (await probe.ask("POST", f"{place}/sync", 200, params={"wait": 60})).json()
    assert gone["removed"] == 1, str(gone)
    listed = (await probe.get("/v1/sources")).json()
    assert [one["last_sync"]["finished_at"][-1] for one in listed if one["id"] == made.json()["id"]] == ["Z"]
    await probe.ask("DELETE", f"{place}?documents=true", 204)


@row("4 sources", "POST /v1/sources of no place, of both, of one that is not there: 422")
async def source_refused(probe: Probe) -> None:
    for body in (
        {},
        {"path": "/nope", "uri": "s3://a"},
        {"path": "/nope/nope"},
        {"path": "relative"},
        {"path": "/proc"},
    ):
        problem(await probe.ask("POST", "/v1/sources", 422, json=body), "source-refused")
    await probe.ask("POST", "/v1/sources/src_unknown/sync", 404)
