"""Commands without a service: refusals in words, exit codes, and no traceback."""

import json
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quire.cluster.cli.main import cli
from quire.cluster.state import ServicePhase, ServiceState, exclusive, this_process, write_state
from tests.lab.conformance.own_service import free_port


def quire(*arguments: str, **variables: str) -> Result:
    clean = {"SVC_WORKERS": "0", **variables}
    return CliRunner(env=clean).invoke(cli, list(arguments))


def test_wrong_settings_end_up_with_exit_2_and_their_names(tmp_path: Path) -> None:
    done = quire("up", "--workdir", str(tmp_path), SVC_PORT="none", SVC_METRICS="1")
    assert done.exit_code == 2
    assert "SVC_PORT: allowed is a port number" in done.output


def test_a_plugin_that_is_not_installed_ends_up(tmp_path: Path) -> None:
    done = quire("up", "--workdir", str(tmp_path), "--port", str(free_port()), SVC_PLUGINS="nobody")
    assert (done.exit_code, "SVC_PLUGINS: not installed: nobody" in done.output) == (1, True)


def test_a_taken_port_ends_up_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = quire("up", "--workdir", str(tmp_path), "--port", str(port))
    assert done.exit_code == 1
    assert f"127.0.0.1:{port} is used by another program" in done.output
    assert not (tmp_path / "postgres").exists()


def test_listening_beyond_loopback_needs_a_licence(tmp_path: Path) -> None:
    keys = "acme=secret-of-20-characters"
    done = quire("up", "--workdir", str(tmp_path), "--host", "0.0.0.0", "--port", "18999", SVC_API_KEYS=keys)
    assert done.exit_code == 1
    assert "SVC_LICENSE is required" in done.output


def test_invalid_licence_stops_up_with_a_reason(tmp_path: Path) -> None:
    done = quire("up", "--workdir", str(tmp_path), "--port", "18999", SVC_LICENSE="a.b.c")
    assert done.exit_code == 1
    assert "SVC_LICENSE: licence refused" in done.output


@pytest.mark.parametrize("keys", ["a", "a=", "a:root=x", f"a={'x' * 20},b={'x' * 20}"])
def test_keys_that_cannot_be_used_end_up(tmp_path: Path, keys: str) -> None:
    done = quire("up", "--workdir", str(tmp_path), "--port", "18999", SVC_API_KEYS=keys)
    assert (done.exit_code, "SVC_API_KEYS" in done.output) == (1, True)


def test_short_keys_are_refused(tmp_path: Path) -> None:
    done = quire("up", "--workdir", str(tmp_path), "--port", "18999", SVC_API_KEYS="acme=short")
    assert (done.exit_code, "acme: the secret needs at least 20 characters" in done.output) == (1, True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_keys_are_required_beyond_loopback(tmp_path: Path, host: str) -> None:
    done = quire("up", "--workdir", str(tmp_path), "--host", host, "--port", "18999")
    assert (done.exit_code, "SVC_API_KEYS: required" in done.output) == (1, True)
    assert not (tmp_path / "token").exists()


def test_up_reports_a_running_service(tmp_path: Path) -> None:
    write_state(tmp_path, ServiceState(supervisor=this_process(), base_url="http://127.0.0.1:7", ready=True))
    done = quire("up", "--workdir", str(tmp_path))
    assert (done.exit_code, done.output) == (0, "quire is up: http://127.0.0.1:7\n")


def test_concurrent_command_is_refused_with_a_reason(tmp_path: Path) -> None:
    with exclusive(tmp_path, ServicePhase.STARTING):
        done = quire("down", "--workdir", str(tmp_path))
    assert done.exit_code == 1
    assert "another quire up or down is at work" in done.output


def test_down_without_a_service_is_not_an_error(tmp_path: Path) -> None:
    assert quire("down", "--workdir", str(tmp_path)).exit_code == 0
    assert quire("down", "--workdir", str(tmp_path / "nowhere")).exit_code == 0
    assert not (tmp_path / "nowhere").exists()


def test_status_of_nothing_is_down_with_exit_1(tmp_path: Path) -> None:
    done = quire("status", "--json", "--workdir", str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()
    assert done.exit_code == 1
    assert json.loads(done.output)["up"] is False


def test_the_tour_says_how_to_start_the_service(tmp_path: Path) -> None:
    done = quire("tour", "--workdir", str(tmp_path))
    assert (done.exit_code, "quire up --detach" in done.output) == (1, True)
