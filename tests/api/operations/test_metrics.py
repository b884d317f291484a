"""Metrics: off by default, for admins and this machine only, and nothing in them names anybody."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, files, make_resources, reading, serving

ON = ApiLimits(metrics=True)


async def test_metrics_are_404_unless_switched_on(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "acme-admin") as admin:
        assert (await admin.get("/metrics")).status_code == 404


async def test_metrics_are_open_to_admins_and_local_callers_only(store: Store) -> None:
    async with serving(make_resources(store, limits=ON)) as app:
        for key, expected in (("acme-admin", 200), ("acme-read", 403), (None, 403), ("nope", 401)):
            async with client_of(app, key) as caller:
                assert (await caller.get("/metrics")).status_code == expected, key
        async with client_of(app, None, peer="127.0.0.1") as local:
            assert (await local.get("/metrics", headers={"Host": "localhost"})).status_code == 200
            assert (await local.get("/metrics", headers={"Host": "evil.example"})).status_code == 403


@pytest.mark.parametrize("again", [False, True])
async def test_every_replica_counts_documents_pages_and_errors_alike(store: Store, dsn: str, again: bool) -> None:
    async with serving(make_resources(store, dsn=dsn, limits=ON)) as app, client_of(app, "acme-admin") as admin:
        with reading(store):
            for content in (PDF, PDF, b"\0\1 no document"):
                job = (await admin.post("/v1/jobs", files=files(content))).json()
                await admin.get(f"/v1/jobs/{job['id']}?wait=60")
        await admin.post("/v1/jobs", files=files(PDF))
        async with serving(make_resources(store, limits=ON)) as other, client_of(other, "acme-admin") as caller:
            text = (await (caller if again else admin).get("/metrics")).text
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    kinds = {sample.name: family.type for family in text_string_to_metric_families(text) for sample in family.samples}
    assert {name for name, kind in kinds.items() if kind == "counter"} == {n for n in kinds if n.endswith("_total")}
    assert (found["quire_jobs_total", "succeeded"], found["quire_jobs_total", "failed"]) == (2, 1)
    assert found["quire_documents_total", "succeeded"] == 2
    assert found["quire_documents_total", "failed"] == 1
    assert found["quire_document_errors_total", "unsupported-format"] == 1
    assert found["quire_pages_by_route_total", "fast"] == found["quire_pages_total",] == 2
    assert (found["quire_queue_tasks", "queued"], found["quire_queue_tasks", "running"]) == (1, 0)
    assert found["quire_quota_pages", "used"] == 2
    assert found["quire_stage_seconds", "0.95", "reading"] >= 0
    for name in ("acme", "0.pdf", "doc_", "job_"):
        assert name not in text
