"""`python -m tests.ui.accessibility [FOLDER]`: axe-core on every page, light and dark, wide and narrow; pictures there.

Fails on any violation that axe calls serious or critical, and on anything wider than the window.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from storage.store import open_store
from tests.postgres import test_server
from tests.ui.chromium import Browser
from tests.ui.living import Living, living
from tests.ui.papers import write_letter

AXE = Path(__file__).with_name("axe") / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = (("wide", 1440, 900, False), ("dark", 1440, 900, True), ("narrow", 360, 740, False))
GRAVE = {"serious", "critical"}


def main(arguments: list[str]) -> int:
    """0 when no page has a serious violation; 2 when axe-core is not installed."""
    if not AXE.exists():
        print("axe-core is missing: make test-ui installs it (npm ci in tests/ui/axe)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        pictures = Path(arguments[0]) if arguments else Path(folder)
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with living(store, dsn) as service:
            found = _check_all(service, pictures)
        store.close()
    for line in found:
        print(line)
    print(f"{len(found)} serious violations")
    return 1 if found else 0


def _check_all(service: Living, pictures: Path) -> list[str]:
    job = service.send(("letter.pdf", write_letter(1, 5)), ("a long name of a broken file.txt", b"no document"))
    documents: Any = job["documents"]
    good = next(document for document in documents if document["status"] == "succeeded")
    here = f"/ui/jobs/{job['id']}"
    service.browser.call("Page.setBypassCSP", enabled=True)  # axe is put into the page from outside
    found = _check(service, pictures, "login", "/ui/login")
    service.sign_in()
    pages = {
        "overview": "/ui",
        "jobs": "/ui/jobs",
        "job": here,
        "document": f"{here}/documents/{good['document_id']}",
        "fields": f"{here}/documents/{good['document_id']}?tab=fields",
        "chunks": f"{here}/documents/{good['document_id']}?tab=chunks",
        "inbox": "/ui/review",
        "review": f"{here}/documents/{good['document_id']}/review",
        "dead-letters": "/ui/dead-letters",
        "search": "/ui/search",
        "webhooks": "/ui/lists/webhooks",
        "refused": "/ui/jobs/none",
        "html-export": f"/ui/v1/jobs/{job['id']}/documents/{good['document_id']}/export/html",
    }
    for name, path in pages.items():
        found += _check(service, pictures, name, path)
    return found


def _check(service: Living, pictures: Path, name: str, path: str) -> list[str]:
    browser, found = service.browser, []
    for screen, width, height, dark in SCREENS:
        browser.screen(width, height, dark=dark)
        browser.open(service.url + path)
        browser.until("[...document.images].every((image) => image.complete)")
        browser.picture(pictures / f"{name}-{screen}.png")
        if browser.run("document.documentElement.scrollWidth") > width:
            found.append(f"{name} {screen}: wider than the window")
        found += [f"{name} {screen}: {line}" for line in _violations(browser)]
    return found


def _violations(browser: Browser) -> list[str]:
    browser.run(AXE.read_text() + "; true")
    result = browser.run("axe.run().then((result) => result.violations)")
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:160]}" for one in result if one["impact"] in GRAVE]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
