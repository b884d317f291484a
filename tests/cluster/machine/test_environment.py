"""Variables that the service's processes find in their environment, and variables that they must not find."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.cluster.errors import StartRefused
from quire.cluster.machine.environment import (
    WORKER_TEMPLATE,
    clear_sessions,
    haproxy_environment,
    ray_folder,
    ray_token_file,
    remove_short_folder,
    service_environment,
    short_folder,
)
from quire.cluster.machine.ports import choose_ports

SECRETS = {"SVC_API_KEYS": "a=hunter2", "SVC_LICENSE": "hunter2", "SVC_DATABASE_URL": "postgresql://hunter2"}


@pytest.fixture(autouse=True)
def nothing_left_in_tmp(tmp_path: Path) -> Iterator[None]:
    yield
    remove_short_folder(tmp_path)


def environment(workdir: Path, **base: str) -> dict[str, str]:
    runtime = workdir / "run" / "runtime.json"
    return service_environment(workdir, choose_ports(), runtime, haproxy=False, template=True, base=base)


def test_no_secret_travels_in_the_environment(tmp_path: Path) -> None:
    assert "hunter2" not in str(environment(tmp_path, PATH="/bin", **SECRETS))


def test_ray_requires_a_token_and_reports_no_usage(tmp_path: Path) -> None:
    made = environment(tmp_path, RAY_ADDRESS="10.0.0.1:6379", RAY_AUTH_MODE="disabled")
    assert made["RAY_AUTH_MODE"] == "token"
    assert made["RAY_USAGE_STATS_ENABLED"] == "0"
    assert made["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"
    assert made["FORWARDED_ALLOW_IPS"] == ""
    assert "RAY_ADDRESS" not in made


def test_worker_template_is_in_the_environment_only_when_wanted(tmp_path: Path) -> None:
    assert Path(environment(tmp_path)[WORKER_TEMPLATE]).name == "workers.sock"
    runtime = tmp_path / "run" / "runtime.json"
    made = service_environment(tmp_path, choose_ports(), runtime, haproxy=False, template=False, base={})
    assert WORKER_TEMPLATE not in made


def test_malloc_arenas_are_few_unless_the_operator_sets_a_number(tmp_path: Path) -> None:
    assert int(environment(tmp_path)["MALLOC_ARENA_MAX"]) == max(2, os.cpu_count() or 1)
    assert environment(tmp_path, MALLOC_ARENA_MAX="33")["MALLOC_ARENA_MAX"] == "33"


def test_rays_token_is_private_and_stays(tmp_path: Path) -> None:
    token = ray_token_file(tmp_path)
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert ray_token_file(tmp_path).read_bytes() == token.read_bytes()
    assert len(token.read_bytes()) == 64


def test_rays_folder_stands_where_only_the_owner_may_enter(tmp_path: Path) -> None:
    folder = ray_folder(tmp_path)
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_a_long_workdir_gets_a_short_folder_for_sockets(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 80)
    folder = ray_folder(deep)
    assert len(str(folder)) < 40
    assert ray_folder(deep) == folder
    remove_short_folder(deep)
    assert not folder.parent.exists()


def test_a_folder_open_to_others_is_refused(tmp_path: Path) -> None:
    ray_folder(tmp_path).parent.chmod(0o755)
    if len(str(tmp_path)) < 30:
        with pytest.raises(StartRefused):
            ray_folder(tmp_path)


def test_sessions_of_earlier_runs_are_removed(tmp_path: Path) -> None:
    old = tmp_path / "session_1"
    old.mkdir()
    (old / "spill").write_bytes(b"document")
    (tmp_path / "session_latest").symlink_to(old)
    clear_sessions(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("haproxy", [True, False])
def test_handles_work_in_threads_with_either_proxy(tmp_path: Path, haproxy: bool) -> None:
    """Readers call the recogniser from threads, for which a handle needs an event loop of its own."""
    made = service_environment(tmp_path, choose_ports(), tmp_path / "runtime", haproxy=haproxy, template=False, base={})
    assert made["RAY_SERVE_RUN_ROUTER_IN_SEPARATE_LOOP"] == "1"
    assert made["RAY_SERVE_USE_GRPC_BY_DEFAULT"] == "1"


def test_haproxys_files_and_ports_are_ours(tmp_path: Path) -> None:
    ports = choose_ports()
    made = haproxy_environment(tmp_path, ports)
    folder = str(short_folder(tmp_path))
    remove_short_folder(tmp_path)
    assert len(folder) + len("/h/" + "x" * 56 + "/metrics.sock") < 97
    assert all(text.startswith(folder) for name, text in made.items() if "SOCKET" in name or "FILE" in name)
    assert made["RAY_SERVE_HAPROXY_STATS_PORT"] == str(ports["haproxy_stats"])
