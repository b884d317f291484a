"""Properties of a whole running service; the tests run in this order on one cluster."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

import pytest
import requests

from quire.cluster.runtime import runtime_file
from quire.models.cdom.version import SERVICE_VERSION
from tests.e2e.papers import paper
from tests.e2e.service import ROOT, Service
from tests.lab.bench.processes import family
from tests.packages.clients.uploads.cases import (
    Case,
    all_cases,
    answers_health,
    curl,
    half_sent,
    http_client,
    write_bodies,
)
from tests.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def environment_of(pid: int) -> dict[str, str]:
    pairs = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return dict(pair.decode().split("=", 1) for pair in pairs if b"=" in pair)


def listening(pids: set[int]) -> set[tuple[str, int]]:
    """Addresses and ports on which these processes accept TCP connections."""
    inodes = set()
    for pid in pids:
        try:
            inodes |= {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()}
        except OSError:
            continue
    found = set()
    for table, family_ in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                found.add(_address(fields[1], family_))
    return found


def _address(field: str, family_: socket.AddressFamily) -> tuple[str, int]:
    host, port = field.split(":")
    words = [int(host[at : at + 8], 16).to_bytes(4, "little") for at in range(0, len(host), 8)]
    return socket.inet_ntop(family_, b"".join(words)), int(port, 16)


def is_loopback(host: str) -> bool:
    address = ip_address(host)
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def test_a_posted_pdf_becomes_a_tree(service: Service) -> None:
    job = service.client.submit([paper(2, "tree")])
    end = service.client.wait(job, 60)
    assert end["status"] == "succeeded"
    document = end["documents"][0]["document_id"]
    tree = service.client.json("GET", f"/v1/jobs/{job}/documents/{document}/tree")
    assert [page["number"] for page in tree["pages"]] == [1, 2]
    assert "tree page 1 line 39 of the harbour report" in json.dumps(tree)


@pytest.mark.parametrize("client", [curl, http_client])
def test_every_upload_ends_and_health_still_answers(
    service: Service, tmp_path: Path, client: Callable[[Case], str]
) -> None:
    bodies = write_bodies(tmp_path, limit_mb=50)
    results = {}
    for case in all_cases(service.client.base_url, service.client.token, bodies, ("expect", "chunked")):
        result = client(case)
        if result not in case.statuses or not answers_health(service.client.base_url):
            results[case.name] = result
    assert results == {}


def test_health_answers_during_half_sent_uploads(service: Service) -> None:
    opened = half_sent(service.client.base_url, service.client.token, 100)
    try:
        assert all(answers_health(service.client.base_url) for _ in range(10))
    finally:
        for connection in opened:
            connection.close()


def test_answers_above_4_mib_arrive_whole(service: Service) -> None:
    line = "paragraph {} of the harbour report" + " about cranes" * 6 + "\n\n"
    text = "".join(line.format(number) for number in range(40_000)).encode()
    client, key = service.client, {"X-API-Key": service.client.token}
    answer = requests.post(f"{client.base_url}/v1/jobs", files={"files": ("long.txt", text)}, headers=key)
    end = client.wait(answer.json()["id"], 240)
    assert end["status"] == "succeeded"
    place = f"{client.base_url}/v1/jobs/{end['id']}/documents/{end['documents'][0]['document_id']}"
    plain, packed = {**key, "Accept-Encoding": "identity"}, {**key, "Accept-Encoding": "gzip"}
    for output in ("original", "tree"):
        content = requests.get(f"{place}/{output}", headers=plain).content
        assert len(content) > 4 << 20
        assert requests.get(f"{place}/{output}", headers=packed).content == content
        assert content == text or json.loads(content)["document_id"] == end["documents"][0]["document_id"]
    assert b"paragraph 39999 of the harbour report" in content


def test_second_up_with_another_port_is_refused(service: Service) -> None:
    before = service.state.supervisor
    done = service.quire("up", "--detach", "--port", str(service.port + 1), check=False)
    assert (done.returncode, "SVC_PORT" in done.stderr + done.stdout) == (1, True)
    assert service.state.supervisor == before


def test_status_reports_the_address_and_the_queue_depth(service: Service) -> None:
    facts = json.loads(service.quire("status", "--json").stdout)
    assert facts["base_url"] == service.state.base_url
    assert facts["token_file"] == str(service.workdir / "token")
    assert facts["pools"]["fast_path"]["running"] == 2
    assert facts["queue"]["queued"] == 0
    assert facts["versions"]["quire"] == SERVICE_VERSION


def test_the_tour_shows_the_sample(service: Service) -> None:
    shown = service.quire("tour").stdout
    assert "3 pages" in shown
    assert "Harbour Crane Inspection" in shown
    assert f"token file  {service.workdir / 'token'}" in shown


def test_every_port_listens_on_loopback_only(service: Service) -> None:
    found = listening(family(service.state.supervisor.pid))
    assert (("127.0.0.1"), service.port) in found
    assert [address for address in found if not is_loopback(address[0])] == []


def test_everything_secret_is_readable_by_its_owner_only(service: Service) -> None:
    for name in ("token", "run/runtime.json", "run/state.json", "run/dsn", "run/ray-token", "run/signing-key"):
        assert stat.S_IMODE((service.workdir / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE((service.workdir / "run").stat().st_mode) == 0o700


def test_no_process_carries_a_secret_in_its_environment_or_command_line(service: Service) -> None:
    runtime = json.loads(runtime_file(service.workdir).read_text())
    secrets = [runtime["dsn"], runtime["signing_key"], (service.workdir / "token").read_text().strip()]
    for pid, command in service.processes().items():
        text = command + str(environment_of(pid))
        assert not any(secret in text for secret in secrets), command


def test_ray_turns_away_a_driver_without_its_token(service: Service, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0" * 64)
    ours = environment_of(service.state.supervisor.pid)
    stranger = {**ours, "RAY_AUTH_TOKEN_PATH": str(tmp_path / "token")}
    code = f"import ray; ray.init('127.0.0.1:{service.state.ports['gcs']}', log_to_driver=False); print('inside')"
    done = subprocess.run([sys.executable, "-c", code], env=stranger, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "inside" not in done.stdout
    assert "uthenticat" in done.stderr


def test_printed_job_reaches_a_running_service_by_its_workdir(service: Service, tmp_path: Path) -> None:
    end = service.client.wait(service.client.submit([paper(2, "rechunked")]), 120)
    assert end["status"] == "succeeded"
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "SVC_"))}
    command = (sys.executable, "-m", "quire.cluster.jobs.rechunk", "--all", "--workdir", str(service.workdir))
    done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout.splitlines()[-1])
    assert summary["chunked"] == summary["documents"] > 0


def test_a_killed_reader_loses_no_document_and_comes_back(service: Service) -> None:
    client = service.client
    jobs = [client.submit([paper(30, f"kill{number}.{part}") for part in range(5)]) for number in range(2)]
    assert until(lambda: client.json("GET", "/v1/stats")["my_jobs"]["running"] > 0)
    victim = next(iter(service.processes("ServeReplica:workers:fast_path")))
    os.kill(victim, signal.SIGKILL)
    ends = [client.wait(job, 120) for job in jobs]
    assert [end["status"] for end in ends] == ["succeeded", "succeeded"]
    assert all(document["attempts"] <= 2 for end in ends for document in end["documents"])
    assert until(lambda: len(service.processes("ServeReplica:workers:fast_path")) == 2, 60)


def test_a_killed_api_replica_is_replaced(service: Service) -> None:
    os.kill(next(iter(service.processes("ServeReplica:api:api"))), signal.SIGKILL)

    def answers() -> bool:
        try:
            return bool(service.client.json("GET", "/v1/stats"))
        except (AssertionError, OSError):
            return False

    assert until(answers, 60)


def test_a_redeploy_drains_the_old_readers(service: Service) -> None:
    client, old = service.client, set(service.processes("ServeReplica:workers:fast_path"))
    assert old
    job = client.submit([paper(60, f"drain{number}") for number in range(10)])
    assert until(lambda: client.json("GET", "/v1/stats")["my_jobs"]["running"] > 0)
    code = (
        "import ray\n"
        f"ray.init('127.0.0.1:{service.state.ports['gcs']}', namespace='quire', log_to_driver=False)\n"
        "from dataclasses import replace\n"
        "from ray import serve\n"
        "from quire.cluster.serve import app\n"
        "from quire.cluster.bootstrap.enabled import plan_api, plan_readers\n"
        "from quire.cluster.runtime import read_runtime\n"
        "app.FAST_PATH = replace(app.FAST_PATH, cpus=0.9)\n"
        "runtime = read_runtime()\n"
        "sizing = replace(plan_readers(runtime.settings), own_application=True)\n"
        "serve.run_many(app.targets(sizing, runtime.dsn_file, api=plan_api(runtime.settings, 1)))\n"
    )
    environment = environment_of(service.state.supervisor.pid)
    command = [sys.executable, "-c", code]
    deployed = subprocess.run(command, env=environment, cwd=ROOT, timeout=180, capture_output=True, text=True)
    assert deployed.returncode == 0, deployed.stderr
    end = client.wait(job, 120)
    assert end["status"] == "succeeded"
    assert {document["attempts"] for document in end["documents"]} == {1}
    assert until(lambda: not old & set(service.processes("ServeReplica:workers:fast_path")), 60)


def test_dead_head_is_restarted_and_the_queue_continues(service: Service) -> None:
    before = service.state.supervisor
    os.kill(next(iter(service.processes("gcs_server"))), signal.SIGKILL)
    assert until(lambda: not service.state.ready)
    assert until(lambda: service.state.ready, 150), service.log()[-3000:]
    assert service.state.supervisor == before
    assert service.client.wait(service.client.submit([paper(1, "again")]), 60)["status"] == "succeeded"


def test_a_database_that_dies_is_started_again(service: Service) -> None:
    from quire.cluster.postgres.embedded import EmbeddedPostgres

    database = EmbeddedPostgres(service.workdir)
    old = database.pid
    assert old
    os.kill(old, signal.SIGKILL)
    assert until(lambda: database.is_running() and database.pid != old, 60)

    def succeeds() -> bool:
        try:
            return bool(service.client.wait(service.client.submit([paper(1, "db")]), 30)["status"] == "succeeded")
        except (AssertionError, OSError, TimeoutError):
            return False

    assert until(succeeds, 60)
