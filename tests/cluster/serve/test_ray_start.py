"""A slow machine's Ray: its agents' ports are known before its raylet starts, and its node is waited for."""

import os
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from quire.cluster.errors import HeadFailed
from quire.cluster.machine.patience import session_clock
from quire.cluster.serve import ray_start


def test_raylet_gets_idle_agents_and_their_ports() -> None:
    kept: list[list[str]] = []
    ports: list[tuple[str, str, str, int]] = []
    native = SimpleNamespace(
        METRICS_AGENT_PORT_NAME="a",
        METRICS_EXPORT_PORT_NAME="b",
        DASHBOARD_AGENT_LISTEN_PORT_NAME="c",
        RUNTIME_ENV_AGENT_PORT_NAME="d",
        persist_port=lambda *facts: ports.append(facts),
    )
    started: list[object] = []
    start = ray_start.with_ports(lambda command, *rest: kept.append(command), started, native, None)
    agents = ["--dashboard_agent_command=python agent.py", "--runtime_env_agent_command=python main.py --x=1"]

    start(["raylet", "--session_dir=/s", "--node_id=ab", *agents], "raylet")
    start(["gcs_server", "--session_dir=/s"], "gcs_server")

    assert kept[0][:3] == ["raylet", "--session_dir=/s", "--node_id=ab"]
    assert all(part.endswith(ray_start._IDLE) for part in kept[0][3:])
    assert kept[1] == ["gcs_server", "--session_dir=/s"]
    assert ports == [("/s", "ab", name, -1) for name in "abcd"]
    assert len(started) == 2


def test_ray_is_started_as_the_patches_expect() -> None:
    """They replace names that `Node` and `start_raylet` of the pinned version look up in their modules."""
    from ray._private import node as ray_node
    from ray._private import services
    from ray.serve._private import client

    text = Path(services.__file__).read_text(encoding="utf-8")
    assert "process_info = start_ray_process(" in text
    assert all(f'"--{name}=' in text for name in ray_start._AGENTS)
    assert "ray._private.services.get_node(" in Path(ray_node.__file__).read_text(encoding="utf-8")
    assert client.HTTP_PROXY_TIMEOUT


def test_waiting_for_the_node_ends_when_a_process_of_ray_has_ended(tmp_path: Path) -> None:
    answers = [RuntimeError("not yet"), {"state": "ALIVE"}, RuntimeError("not yet")]

    def get_node(*address: object) -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    code: list[int | None] = [None]
    process = SimpleNamespace(poll=lambda: code[0], returncode=134)
    wait = ray_start.wait_for_node(get_node, [SimpleNamespace(process=process)], session_clock(os.getpid(), tmp_path))

    assert wait("gcs", "node") == {"state": "ALIVE"}
    code[0] = 134
    with pytest.raises(HeadFailed, match="ended with 134"):
        wait("gcs", "node")


def test_ports_of_agents_are_written_before_a_raylet_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ray._private import services
    from ray.scripts import scripts

    native: Any = import_module("ray._raylet")
    kept: list[list[str]] = []
    monkeypatch.setattr(services, "start_ray_process", lambda command, *rest: kept.append(command))
    monkeypatch.setattr(services, "get_node", lambda *address: {})
    asked: list[list[str]] = []
    monkeypatch.setattr(scripts, "cli", lambda arguments, **options: asked.append(arguments))
    ray_start.main(["start", "--block", "--dashboard-agent-listen-port=8266"])

    options = dict(part.removeprefix("--").split("=") for part in asked[0][2:])
    assert options["dashboard-agent-listen-port"] == "8266"
    node_id = "ab" * 28
    agents = ["--dashboard_agent_command=python agent.py", "--runtime_env_agent_command=python main.py --x=1"]
    services.start_ray_process(["raylet", f"--session_dir={tmp_path}", f"--node_id={node_id}", *agents], "raylet")
    written = {
        option: native.wait_for_persisted_port(str(tmp_path), node_id, getattr(native, name), timeout_ms=0)
        for name, option in ray_start._OPTIONS.items()
    }
    assert written == {option: int(port) for option, port in options.items()}
    assert len(set(written.values())) == 4
    assert kept[0][3:] == agents
