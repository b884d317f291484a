"""A document's page with the keyboard alone. `make test SUITE=ui` walks every page, state and width."""

from collections.abc import Iterator

import pytest

from quire.storage.store import Store
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living, living
from tests.ui.browser.stages import page_of
from tests.ui.papers import write_letter
from tests.ui.walks.keyboard import walk

pytestmark = pytest.mark.long
FAULTS = """
main.insertAdjacentHTML("beforeend", `<button>Seen</button><button tabindex="-1">Missed</button><button></button>
  <button id="unmarked">Unmarked</button>`);
unmarked.style.outline = "none";
"""


@pytest.fixture
def service(store: Store, dsn: str, browser: Browser) -> Iterator[Living]:
    with living(store, dsn, browser) as running:
        yield running


def test_walk_finds_missed_unmarked_and_unnamed_controls(service: Living) -> None:
    here = page_of(service.send(("letter.pdf", write_letter())))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}{here}?tab=markdown")
    assert walk(browser) == []
    browser.run(FAULTS)
    found = walk(browser)
    assert [line.split(":")[0] for line in found] == ["focus not marked", "not reached", "no role or name"]
    assert "Unmarked" in found[0]
    assert "Missed" in found[1]
