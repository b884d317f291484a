"""Measures the dashboard in a browser: first paint, time to sort a list of 10,000 documents, and frames of a scroll.

Run: `python -m tests.lab.bench.listing.bench_face [--rows N]`. Each figure is the median of ten, printed with the load.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import httpx
import psycopg

from quire.serve_apps.ui.browser.visit import FILES
from quire.storage.store import open_store
from tests.lab.bench.queue.bench_claim import _AGE, JOB
from tests.postgres import test_server
from tests.ui.browser.figures import PAINT
from tests.ui.browser.living import KEY, Living, living

LOOKS = 10
FIELDS = ("name", "status", "type", "pages", "bytes", "created_at")
SORT = """
new Promise((done) => {
  const begun = performance.now();
  document.addEventListener("htmx:afterSettle", () => requestAnimationFrame(() => requestAnimationFrame(
    () => done(performance.now() - begun))), { once: true });
  document.getElementById("sort-FIELD").click();
})
"""
"""A click on a head until its rows are painted."""
FRAMES = """
new Promise((done) => {
  const times = [];
  const step = (now) => {
    times.push(now);
    scrollBy(0, 12);
    if (times.length < 120) requestAnimationFrame(step);
    else done(times.slice(1).map((time, at) => time - times[at]));
  };
  scrollTo(0, 0);
  requestAnimationFrame(step);
})
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=10_000)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with psycopg.connect(dsn, autocommit=True) as connection:
            for statement in _AGE[:2]:
                connection.execute(statement, {"rows": options.rows, "job": JOB})
            connection.execute("update documents set bytes = hashtext(id), pages = abs(hashtext(id)) % 90 where true")
            connection.execute("analyze")
        with living(store, dsn) as service:
            service.org = "main"
            _measure(service)
        store.close()


def _measure(service: Living) -> None:
    sizes = [len(content) for content in FILES.content.values()]
    print(f"static files: {sum(sizes) / 1000:.0f} kB in {len(sizes)} files")
    headers = {"X-API-Key": KEY, "X-DE-Org": service.org}
    with httpx.Client(base_url=service.url, headers=headers, timeout=60) as http:
        for order in FIELDS:
            _say(f"list by {order}, API", [_time(http, f"/v1/documents?sort={order}") for _ in range(LOOKS)])
        _say("counts, API", [_time(http, "/v1/documents/counts") for _ in range(LOOKS)])
    service.sign_in()
    browser = service.browser
    for path in ("/ui", "/ui/overview", "/ui/jobs", "/ui/upload", "/ui/search", "/ui/review", "/ui/usage"):
        _say(f"first paint of {path}", [_paint(service, path) for _ in range(LOOKS)])
    for field in FIELDS:
        browser.open(f"{service.url}/ui")
        browser.call("Performance.enable", timeDomain="threadTicks")
        page, own = _busy(service), time.process_time()
        _say(f"sort by {field}", [float(browser.until(SORT.replace("FIELD", field))) for _ in range(LOOKS)])
        page, own = (_busy(service) - page) * 1000 / LOOKS, (time.process_time() - own) * 1000 / LOOKS
        print(f"  of it CPU: {page:.0f} ms in the page, {own:.0f} ms in the service and this program")
    browser.open(f"{service.url}/ui")
    browser.until("document.querySelector('tbody tr') !== null")
    browser.call("Performance.enable", timeDomain="threadTicks")
    before = _busy(service)
    frames = [frame for _ in range(3) for frame in browser.run(FRAMES)]
    busy = (_busy(service) - before) * 1000 / len(frames)
    print(f"scroll: {1000 / statistics.mean(frames):.0f} frames a second, "
          f"{sum(frame < 25 for frame in frames) / len(frames):.0%} in time, {busy:.1f} ms of CPU a frame; load "
          f"{os.getloadavg()[0]:.1f}")  # fmt: skip


def _paint(service: Living, path: str) -> float:
    """Return the milliseconds from the request to the first paint, which has the rows."""
    service.browser.open(service.url + path)
    return float(service.browser.until(PAINT))


def _time(http: httpx.Client, path: str) -> float:
    before = time.perf_counter()
    assert http.get(path).status_code == 200
    return (time.perf_counter() - before) * 1000


def _busy(service: Living) -> float:
    metrics = service.browser.call("Performance.getMetrics")["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def _say(what: str, times: list[float]) -> None:
    print(
        f"{what:32} median {statistics.median(times):4.0f} ms, least {min(times):4.0f}, most {max(times):4.0f}; load "
        f"{os.getloadavg()[0]:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
