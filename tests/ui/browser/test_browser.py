"""The dashboard in headless Chromium: sign in, upload, look, read again, and review by keyboard alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quire.storage.store import Store
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living, living
from tests.ui.papers import write_letter, write_locked_letter

pytestmark = pytest.mark.long


@pytest.fixture
def service(store: Store, dsn: str, browser: Browser) -> Iterator[Living]:
    with living(store, dsn, browser) as running:
        yield running
        assert running.browser.problems == []


def test_uploaded_file_is_shown_in_progress_and_then_next_to_its_page(service: Living, tmp_path: Path) -> None:
    letter = tmp_path / "letter.pdf"
    letter.write_bytes(write_letter())
    service.sign_in()
    browser = service.browser
    browser.choose_files("#files", letter)
    browser.until(
        "location.search.startsWith('?job_id=job_') && document.querySelector('tr[data-status=succeeded]') !== null"
    )
    browser.run("document.querySelector('tbody th a').click()")
    browser.until(
        "document.querySelectorAll('.sheet rect').length > 3 && document.querySelector('.sheet img').complete"
    )
    assert browser.run("document.querySelector('.sheet img').naturalWidth") > 1000
    browser.press("j")
    assert browser.run("document.querySelectorAll('rect.selected').length") == 1
    assert "Complaint no. 1" in browser.run("document.querySelector('li.selected').innerText")
    box, sheet = (
        browser.run(f"document.querySelector('{one}').getBoundingClientRect().toJSON()")
        for one in ("rect.selected", ".sheet img")
    )
    assert 0.1 < (box["x"] - sheet["x"]) / sheet["width"] < 0.14  # drawn where the words stand: 72 of 595 points


def test_locked_file_asks_for_its_password_before_it_becomes_a_job(service: Living, tmp_path: Path) -> None:
    locked, letter = tmp_path / "locked.pdf", tmp_path / "letter.pdf"
    locked.write_bytes(b"\n" + write_locked_letter())  # the line break keeps it from the reader of these tests
    letter.write_bytes(write_letter())
    service.sign_in()
    browser = service.browser
    browser.choose_files("#files", locked, letter)
    browser.until("document.querySelector('.sending .bad')?.innerText === 'Needs a password.'")
    browser.run("document.querySelector('.locked input').focus()")
    for password, onward in (
        ("wrong", "document.querySelector('.sending .bad')?.innerText === 'That password does not open it.'"),
        ("sesame", "location.search.split('job_id=job_').length === 3"),
    ):
        browser.type(password)
        browser.press("Enter")
        browser.until(onward)
    documents = service.ask("GET", "documents")
    assert sorted(document["source_file"] for document in documents) == ["letter.pdf", "locked.pdf"]


def test_documents_are_reviewed_by_keyboard_alone(service: Living) -> None:
    letters = [(f"letter{number}.pdf", write_letter(number)) for number in range(3)]
    service.send(*letters)
    assert len(service.pending()) == 6
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/review")
    browser.press("Enter")
    for left in (2, 1, 0):
        browser.until("document.querySelectorAll('#flags > li.selected').length === 1")
        here = browser.run("location.pathname")
        assert browser.run("document.querySelector('li.selected mark').innerText").endswith("@example.org")
        browser.press("a")
        browser.press("r")
        browser.until(f"location.pathname !== '{here}'")
        assert len(service.pending()) == 2 * left
    assert browser.until("document.body.innerText.includes('No flags to review')")


def test_a_decision_is_taken_back_by_deciding_again(service: Living) -> None:
    service.send(("letter.pdf", write_letter(flags=3)))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/review")
    browser.press("Enter")
    browser.until("document.querySelector('#flags > li.selected') !== null")
    browser.press("a")
    browser.until("document.querySelectorAll('#flags .state.approved').length === 1")
    browser.press("u")
    browser.press("r")
    assert browser.until("document.querySelectorAll('#flags .state.rejected').length === 1")
    assert len(service.pending()) == 2


def test_a_failed_document_is_read_again_from_the_list(service: Living) -> None:
    service.send(("broken.txt", b"no document"))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/dead-letters")
    browser.run("document.querySelector('.acts button').click()")
    assert browser.until("location.pathname.startsWith('/ui/jobs/') && document.querySelector('.chip.failed') !== null")


CLICK = "dispatchEvent(new MouseEvent('click', { bubbles: true }))"
ANSWER_TO = {"type": "object", "properties": {"answer_to": {"type": "string", "format": "email"}}}


def test_value_is_corrected_by_a_click_on_its_box(service: Living) -> None:
    job = service.send(("letter.pdf", write_letter()))
    _correct_by_click(service, job, ".leaf rect", "person1.0@example.org")


def test_value_is_corrected_by_a_click_on_its_cell(service: Living) -> None:
    cells = [
        {"row": row, "col": col, "text": text, "header": row == 0}
        for row, line in enumerate((("Role", "Address"), ("Sender", "a@example.org"), ("Reader", "@ none")))
        for col, text in enumerate(line)
    ]
    table = {"rows": 3, "cols": 2, "header_rows": 1, "cells": cells}
    tree = {
        "cdom_version": "1.0",
        "source": {"name": "people.docx", "format": "docx"},
        "pages": [{"number": 1, "width": 595, "height": 842}],
        "blocks": [
            {"id": "a", "type": "heading", "level": 1, "page": 1, "bbox": None, "text": "People"},
            {"id": "b", "type": "table", "page": 1, "bbox": None, "text": "", "table": table},
        ],
    }
    _correct_by_click(
        service, service.ask("POST", "ingest", json={"tree": tree}), ".texts [data-block]", "a@example.org"
    )


def _correct_by_click(service: Living, job: dict[str, Any], places: str, expected: str) -> None:
    """Choose the first place with an @ as the value; it is marked where it stands."""
    service.ask("POST", "schemas", json={"name": "letter", "schema": ANSWER_TO})
    document = job["documents"][0]["document_id"]
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}/documents/{document}/extract?schema=letter")
    browser.until(f"document.querySelectorAll('{places}').length > 3")
    browser.run(f"[...document.querySelectorAll('{places}')].find((one) => one.dataset.text.includes('@')).{CLICK}")
    browser.run("document.querySelector('#correct button').click()")
    browser.until("document.querySelector('#values tr.hit td') !== null && location.search.includes('at=')")
    assert expected in browser.run("document.querySelector('#values tr.hit td').innerText")
    assert browser.run(f"document.querySelectorAll('{places}.hit').length") == 1
