"""A reviewer at the keyboard: a key for each flag, one value everywhere, taking back, a second pair of eyes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from quire.storage.store import Store
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living
from tests.ui.browser.stages import staged
from tests.ui.papers import write_letter, write_report

pytestmark = pytest.mark.long
FLAGS = int(os.environ.get("QUIRE_REVIEW_FLAGS", "80"))
"""Decided by one key each; `make test SUITE=ui` asks for four hundred."""
BURST = 40
"""Keys pressed before the page is waited for: quicker than anybody reads."""
OPEN = "document.querySelectorAll('#flags > li:not(.done)').length"
READY = "document.querySelector('#flags > li.selected') !== null"


@pytest.fixture
def service(store: Store, dsn: str, tmp_path: Path, browser: Browser) -> Iterator[Living]:
    with staged(store, dsn, tmp_path, browser) as running:
        running.browser.screen(1280, 900, dark=False)
        yield running
        assert running.browser.problems == []


def write_list(*addresses: str) -> bytes:
    """A page with a paragraph for each address."""
    with pymupdf.open() as paper:
        page = paper.new_page(width=595, height=842)
        for line, address in enumerate(addresses):
            page.insert_text((72, 90 + 60 * line), f"Please answer to {address} before the month ends.", fontsize=11)
        return bytes(paper.tobytes())


def begin(service: Living) -> None:
    service.sign_in()
    service.browser.open(f"{service.url}/ui/review")
    service.browser.press("Enter")
    service.browser.until(READY)


def test_value_is_marked_at_its_place_and_not_as_a_whole_paragraph(service: Living) -> None:
    service.send(("list.pdf", write_list("ann.lee@leak.example", "bob.ray@leak.example")))
    begin(service)
    service.browser.until("document.querySelectorAll('rect[data-exact]').length === 2")
    assert service.browser.run("document.querySelectorAll('.sheet rect').length") == 2
    width = service.browser.run("document.querySelector('rect.selected[data-exact]').width.baseVal.value")
    (true,) = pymupdf.open(stream=write_list("ann.lee@leak.example"))[0].search_for("ann.lee@leak.example")
    assert width == pytest.approx(true.width, abs=3)


def test_every_flag_is_decided_with_one_key(service: Living) -> None:
    service.send(("report.pdf", write_report(pages=FLAGS // 4, flags=FLAGS)))
    assert len(service.pending()) == FLAGS
    begin(service)
    for number in range(FLAGS):
        service.browser.press("r" if number % 8 == 0 else "a")
        if number % BURST == BURST - 1 and number < FLAGS - 1:
            service.browser.until(f"{OPEN} === {FLAGS - 1 - number}")
    service.browser.until("document.body.innerText.includes('No flags to review')")
    assert service.pending() == []
    rejected = service.ask("GET", "review", params={"limit": 1000, "state": "rejected"})
    assert len(rejected) == FLAGS // 8


def test_single_key_decides_a_value_everywhere_in_the_job(service: Living) -> None:
    service.send(
        ("a.pdf", write_list("ann@example.org", "bob@example.org", "ann@example.org")),
        ("b.pdf", write_list("ann@example.org", "eve@example.org")),
    )
    begin(service)
    service.browser.press("v")
    service.browser.until(f"{OPEN} === 1")
    assert sorted(str(item["text"]).split()[3] for item in service.pending()) == ["bob@example.org", "eve@example.org"]
    service.browser.press("u")
    service.browser.until(f"{OPEN} === 2")
    assert len(service.pending()) == 5
    service.browser.press("d")
    service.browser.until(f"{OPEN} === 1")
    assert len(service.pending()) == 3


def test_flags_are_narrowed_by_kind_and_state(service: Living) -> None:
    service.send(("letter.pdf", write_letter(flags=3)))
    begin(service)
    here = service.browser.run("location.pathname")
    service.browser.press("r")
    service.browser.until(f"{OPEN} === 2")
    for asked, count in (("state=rejected", 1), ("state=pending", 2), ("kind=pii:email", 3), ("by=acme:admin", 1)):
        service.browser.open(f"{service.url}{here}?{asked}")
        assert service.browser.run("document.querySelectorAll('#flags > li').length") == count, asked
    service.browser.open(f"{service.url}{here}?kind=pii:iban")
    assert "No flag matches" in service.browser.run("document.body.innerText")
