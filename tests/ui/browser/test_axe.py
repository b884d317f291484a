"""A sample of the pages under axe-core. `make test SUITE=ui` checks every page, state, theme and width."""

from collections.abc import Iterator

import pytest

from quire.storage.store import Store
from tests.ui.browser.axe import find_violations
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living, living
from tests.ui.papers import write_letter

pytestmark = pytest.mark.long
WINDOWS = ((1280, 800, False), (360, 740, True))


@pytest.fixture
def service(store: Store, dsn: str, browser: Browser) -> Iterator[Living]:
    with living(store, dsn, browser) as running:
        yield running
        browser.call("Page.setBypassCSP", enabled=False)


def test_pages_have_no_accessibility_violations(service: Living) -> None:
    job = service.send(("letter.pdf", write_letter()), ("broken.txt", b"\0\1 no document"))
    documents = {one["source_file"]: one["document_id"] for one in job["documents"]}
    here = f"/ui/jobs/{job['id']}/documents"
    browser = service.browser
    browser.call("Page.setBypassCSP", enabled=True)  # axe is put into the page from outside
    found = look(service, "/ui/login")
    service.sign_in()
    letter = f"{here}/{documents['letter.pdf']}"
    for path in ("/ui", "/ui/upload", "/ui/jobs", letter, f"{letter}/review", f"{here}/{documents['broken.txt']}"):
        found += look(service, path)
    assert found == []


def look(service: Living, path: str) -> list[str]:
    """Return the violations on a page in each window."""
    found = []
    for width, height, dark in WINDOWS:
        service.browser.screen(width, height, dark=dark)
        service.browser.hold_still(dark=dark)
        service.browser.open(service.url + path)
        service.browser.until("true")
        found += [f"{path} {width}: {line}" for line in find_violations(service.browser)]
    return found
