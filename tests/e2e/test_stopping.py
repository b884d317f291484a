"""The last thing asked of the running service: its end."""

import time

import pytest

from quire.cluster.state import session_members, start_time
from tests.e2e.papers import paper
from tests.e2e.service import Service
from tests.lab.bench.processes import family
from tests.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def test_down_drains_documents_in_progress_and_leaves_no_process(service: Service) -> None:
    from quire.cluster.postgres.embedded import EmbeddedPostgres

    client, state = service.client, service.state
    client.submit([paper(20, f"down{number}") for number in range(6)])
    assert until(lambda: client.json("GET", "/v1/stats")["my_jobs"]["running"] > 0)
    everything = {pid: start_time(pid) for pid in family(state.supervisor.pid)}
    service.quire("down")
    assert session_members(state.supervisor.pid, service.workdir) == []
    time.sleep(0.5)
    assert [pid for pid, started in everything.items() if started and start_time(pid) == started] == []
    assert not EmbeddedPostgres(service.workdir).is_running()
    assert "quire is down" in service.quire("status", check=False).stdout
