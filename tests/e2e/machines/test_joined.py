"""A cluster of three machines on this host, started as an operator does: what it reports, and leaving loses nothing."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.e2e.papers import paper
from tests.lab.bench.client import Client
from tests.lab.chaos.machines import KEY, Machines, on_this_host, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
DOCUMENTS, JOB = 60, 10


@pytest.fixture(scope="module")
def machines() -> Iterator[Machines]:
    settings = {"SVC_WORKERS": "2", "SVC_VLM_OCR": "/models/only-on-gpu-nodes#lightonocr"}
    with on_this_host(settings, gcs_from=6490, http_from=8910) as cluster:
        cluster.start()
        for name in ("one", "two"):
            cluster.join(name, 2)
        cluster.serve()
        yield cluster


def test_unplaceable_pool_is_a_warning_and_other_pools_run(machines: Machines) -> None:
    told = machines.quire("status", name="up")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "warning     vlm_ocr: no node with arch=amd64, accelerator=cuda, 1 CPU and 1 GPU" in told.stdout
    assert "fast_path: status HEALTHY, running 2" in told.stdout
    assert "vlm_ocr: status HEALTHY, running 0" in told.stdout


def test_leaving_machine_hands_over_and_no_document_is_read_twice(machines: Machines) -> None:
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    jobs = [client.submit([paper(2, mark=f"{first}-{n}") for n in range(JOB)]) for first in range(0, DOCUMENTS, JOB)]
    wait_for(lambda: count(machines.dsn, "status = 'succeeded'") > 0, 120, "nothing is read")
    assert machines.leave("one") == 0
    for job in jobs:
        assert client.wait(job)["counts"]["succeeded"] == JOB
    assert count(machines.dsn, "published_attempt > 1") == 0
    assert machines.quire("status", name="up").returncode == 0


def test_machine_joins_again_after_its_ray_died(machines: Machines) -> None:
    client = Client(f"http://127.0.0.1:{machines.http_port}", KEY)
    machines.crash("two")
    assert "this machine joins again in 5 s" in machines.log("two")
    job = client.submit([paper(1, mark=f"again-{n}") for n in range(JOB)])
    assert client.wait(job)["counts"]["succeeded"] == JOB
    assert machines.leave("two") == 0


def count(dsn: str, which: str) -> int:
    with psycopg.connect(dsn) as connection:
        row = connection.execute(f"select count(*) from documents where {which}".encode()).fetchone()
    assert row is not None
    return int(row[0])


def test_machine_of_another_version_stops_an_update_of_the_service(machines: Machines) -> None:
    machines.join("old", 1, "quire-version=0.9.0-reader-1")
    told = machines.quire("up", "--address", f"127.0.0.1:{machines.gcs_port}", name="up")
    machines.kill("old")
    assert told.returncode == 1, told.stdout
    assert "(0.9.0-reader-1) is not: install this version there" in told.stderr
