"""HAProxy's extra ports are on loopback: the real program, on a configuration as Ray writes it."""

import importlib.util
import socket
import subprocess
from pathlib import Path

from quire.cluster.machine.haproxy import narrow_haproxy
from quire.cluster.machine.ports import is_free
from tests.waiting import PATIENCE_S, until

CONFIG = """
defaults
    mode http
    timeout connect 1s
    timeout client 1s
    timeout server 1s
frontend prometheus
    bind :{metrics}
    http-request use-service prometheus-exporter
frontend http_frontend
    bind 0.0.0.0:{public}
    acl routes path -i /-/routes
    http-request return status 200 content-type text/plain string "the applications" if routes
    http-request return status 404 content-type text/plain string "nothing here"
listen stats
  bind *:{stats}
  stats enable
  stats uri /stats
"""


def free_ports(count: int) -> list[int]:
    return [port for port in range(21_500, 21_800) if is_free(port)][:count]


def listening(port: int) -> set[str]:
    """Return the addresses (as the kernel writes them) with a listener at `port`."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}


def test_statistics_and_metrics_move_to_loopback_and_the_front_end_stays(tmp_path: Path) -> None:
    stats, metrics, public = free_ports(3)
    config = tmp_path / "haproxy.cfg"
    config.write_text(CONFIG.format(stats=stats, metrics=metrics, public=public))
    program = narrow_haproxy(tmp_path, (stats, metrics))
    assert program is not None
    running = subprocess.Popen([program, "-db", "-f", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: listening(public) and listening(stats))
        assert listening(stats) == listening(metrics) == {"0100007F"}
        assert listening(public) == {"00000000"}
        with socket.create_connection(("127.0.0.1", stats), 5) as caller:
            caller.sendall(b"GET /stats HTTP/1.0\r\n\r\n")
            assert caller.recv(12).endswith(b" 200")
        with socket.create_connection(("127.0.0.1", public), 5) as caller:
            caller.sendall(b"GET /-/routes HTTP/1.0\r\n\r\n")
            assert caller.recv(12).endswith(b" 404")
    finally:
        running.terminate()
        running.wait(PATIENCE_S)


def test_rays_configuration_still_has_the_lines_that_are_narrowed() -> None:
    ray = importlib.util.find_spec("ray")
    assert ray is not None
    assert ray.origin is not None
    template = Path(ray.origin).parent / "serve" / "_private" / "haproxy_templates.py"
    lines = [line.strip() for line in template.read_text().splitlines()]
    assert lines.count("bind *:{{ config.stats_port }}") == 1
    assert lines.count("bind :{{ config.metrics_port }}") == 1
    assert lines.count("acl routes path -i /-/routes") == 1
