"""Draws the dashboard of `configs/grafana/quire.json` over a run, as a page of pictures.

Prometheus (Debian's package) asks the service every five seconds and then each panel's query over the whole run. The
lines are drawn here: Grafana itself is no package of Debian.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.lab.chaos.machines import wait_for
from tests.lab.sim.plots import Line, draw

DASHBOARD = Path(__file__).resolve().parents[3] / "configs" / "grafana" / "quire.json"
INTERVAL_S = 5
MOST_LINES = 12


@contextmanager
def watch(http_port: int, port: int, folder: Path, page: Path) -> Iterator[None]:
    """Write the page of what the dashboard shows of the time in between."""
    if not shutil.which("prometheus"):
        raise SystemExit("--pictures needs the program prometheus: apt-get install prometheus")
    targets = [{"targets": [f"127.0.0.1:{http_port}"]}]
    job = {"job_name": "quire", "scrape_interval": f"{INTERVAL_S}s", "static_configs": targets}
    (folder / "prometheus.yml").write_text(json.dumps({"scrape_configs": [job]}))
    options = (f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb")
    with (folder / "prometheus.log").open("wb") as log:
        server = subprocess.Popen(["prometheus", *options, f"--web.listen-address=127.0.0.1:{port}"], stderr=log)
    begun = time.time()
    try:
        wait_for(lambda: _is_ready(port), 60, "Prometheus does not start")
        yield
        page.write_text(draw_page(port, begun, time.time()))
    finally:
        server.terminate()
        server.wait()


def draw_page(port: int, begun: float, ended: float) -> str:
    """Return HTML with a picture of each panel that is a line over time; panels without a sample say so."""
    parts = ["<!doctype html><meta charset=utf-8><title>Quire: a run as its dashboard shows it</title>"]
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        if panel["type"] == "timeseries":
            lines = [line for target in panel["targets"] for line in _ask(port, target["expr"], begun, ended)]
            unit = panel["fieldConfig"]["defaults"].get("unit", "").replace("short", "")
            shown = draw(panel["title"], "seconds", unit, lines) if lines else f"<p>{escape(panel['title'])}: none</p>"
            parts.append(shown)
    return "\n".join(parts)


def _ask(port: int, query: str, begun: float, ended: float) -> list[Line]:
    asked = urlencode({"query": query, "start": begun, "end": ended, "step": INTERVAL_S})
    with urlopen(f"http://127.0.0.1:{port}/api/v1/query_range?{asked}") as answer:
        series: list[dict[str, Any]] = json.load(answer)["data"]["result"]
    lines = [
        Line(
            " ".join(value for name, value in one["metric"].items() if name not in ("__name__", "instance", "job")),
            [(float(at) - begun, float(value)) for at, value in one["values"]],
        )
        for one in series
    ]
    return sorted(lines, key=lambda line: -max(y for _, y in line.points))[:MOST_LINES]


def _is_ready(port: int) -> bool:
    with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/-/ready") as answer:
        return bool(answer.status == 200)
    return False
