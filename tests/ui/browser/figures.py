"""`python -m tests.ui.browser.figures [DOCUMENTS]`: documents reviewed by keyboard, first paint, size of the files."""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from quire.serve_apps.ui.browser.visit import FILES
from quire.storage.store import open_store
from tests.postgres import test_server
from tests.ui.browser.living import Living, living
from tests.ui.papers import write_letter

PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
SELECTED = "document.querySelector('#flags > li.selected')"
NOTHING = "document.body.innerText.includes('No flags to review')"
LOOKS = 5


def main(arguments: list[str]) -> int:
    """0 when every flag is decided at the end."""
    documents = int(arguments[0]) if arguments else 100
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with living(store, dsn) as service:
            job = _send(service, documents)
            service.sign_in()
            _measure_paint(service, job)
            left = _review_all(service)
        store.close()
    return 1 if left else 0


def _send(service: Living, documents: int) -> dict[str, object]:
    job: dict[str, object] = {}
    for start in range(0, documents, 10):
        numbers = range(start, min(start + 10, documents))
        job = service.send(*[(f"letter{number}.pdf", write_letter(number)) for number in numbers])
    return job


def _measure_paint(service: Living, job: dict[str, object]) -> None:
    documents: list[dict[str, str]] = job["documents"]  # type: ignore[assignment]
    document = f"/ui/jobs/{job['id']}/documents/{documents[0]['document_id']}"
    sizes = [len(content) for content in FILES.content.values()]
    print(f"static files of the dashboard: {sum(sizes) / 1000:.0f} kB in {len(sizes)} files")
    others = ("/ui/upload", "/ui/search", "/ui/usage", "/ui/access", "/ui/sources", "/guide/")
    for path in ("/ui", "/ui/overview", "/ui/jobs", document, f"{document}/review", "/ui/review", *others):
        times = []
        for _ in range(LOOKS):
            service.browser.open(service.url + path)
            times.append(service.browser.until(PAINT))
        print(f"first paint {path[:20]:20} median {statistics.median(times):4.0f} ms, most {max(times):4.0f} ms")


def _review_all(service: Living) -> int:
    """Presses keys until nothing waits; gives what is left."""
    browser, decisions, started = service.browser, 0, time.monotonic()
    browser.open(f"{service.url}/ui/review")
    browser.press("Enter")
    while browser.until(f"{SELECTED} ? 1 : {NOTHING} ? 2 : 0") == 1:
        here = browser.run("location.pathname")
        for key in ("a", "r"):
            browser.press(key)
            decisions += 1
        browser.until(f"location.pathname !== '{here}'")
    left = len(service.pending())
    print(f"{decisions} decisions by keyboard in {time.monotonic() - started:.0f} s of wall time, {left} left")
    print(f"problems in the console: {browser.problems or 'none'}")
    return left


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
