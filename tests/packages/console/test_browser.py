"""The console in headless Chromium: sign up, drop files, watch them, read results; tokens, webhooks, one's account."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.store import Store
from tests.packages.console.harness import PASSWORD
from tests.packages.console.living import LivingConsole, living_console
from tests.storage.receivers import receiving
from tests.ui.browser.chromium import Browser
from tests.ui.papers import write_letter

pytestmark = pytest.mark.long
LOG = "document.querySelector('section.deliveries')"
DROP = """
(() => {
  const data = new DataTransfer();
  for (const [name, text] of FILES) {
    data.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name));
  }
  const place = document.getElementById("drop");
  place.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true }));
  place.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  return place.classList.contains("over");
})()
"""


@pytest.fixture
def console(store: Store, dsn: str, tmp_path: Path, browser: Browser) -> Iterator[LivingConsole]:
    with living_console(store, dsn, tmp_path, browser) as running:
        yield running
        assert running.browser.problems == []


def drop(console: LivingConsole, *files: tuple[str, bytes]) -> None:
    """As a person drops files from a folder onto the page."""
    import base64
    import json

    sent = json.dumps([[name, base64.b64encode(content).decode()] for name, content in files])
    assert console.browser.run(DROP.replace("FILES", sent)) is False


def yes(browser: Browser) -> None:
    """Answers the question that stands over the page."""
    browser.until("document.getElementById('ask').open")
    browser.run("document.querySelector('#ask [value=yes]').click()")


def test_files_are_dropped_followed_and_read(console: LivingConsole) -> None:
    browser = console.browser
    console.sign_up()
    drop(console, ("letter.pdf", write_letter()), ("broken <b>.txt", b"\0\1 no document"))
    browser.until("document.getElementById('upload-said').textContent.startsWith('Done; 1 of 2')")
    console.until_read(2)
    assert browser.run("document.querySelector('.usage .big').innerText").startswith("1 ")
    assert "broken <b>.txt" in browser.run("document.getElementById('sent').innerText")
    browser.run("[...document.querySelectorAll('#sent a')].find((a) => a.innerText.startsWith('broken')).click()")
    browser.until("document.querySelector('.bad')?.innerText === 'unsupported-format'")
    browser.open(f"{console.url}/")
    browser.run("[...document.querySelectorAll('#sent a')].find((a) => a.innerText === 'letter.pdf').click()")
    browser.until(
        "document.querySelector('.sheet img')?.complete && document.querySelectorAll('.sheet rect').length > 3"
    )
    assert browser.run("document.querySelector('.sheet img').naturalWidth") > 700
    browser.run("document.querySelectorAll('.sheet rect')[0].dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    assert "Complaint no. 1" in browser.run("document.querySelector('li.selected').innerText")
    browser.press("j")
    assert "Complaint no. 1" not in browser.run("document.querySelector('li.selected').innerText")
    for tab in ("Passages", "Fields"):
        browser.run(f"[...document.querySelectorAll('.tabs a')].find((a) => a.innerText === '{tab}').click()")
        browser.until(f"document.querySelector('.tabs [aria-current]')?.innerText === '{tab}'")
        assert "Invoice number" in browser.run("document.getElementById('main').innerText")
    browser.run("document.querySelector('.acts-row button.danger').click()")
    yes(browser)
    browser.until("location.pathname === '/' && !document.getElementById('sent').innerText.includes('letter.pdf')")


def test_too_many_or_too_large_files_are_refused_before_they_are_sent(console: LivingConsole) -> None:
    console.sign_up()
    drop(console, *[(f"{number}.pdf", b"x") for number in range(11)])
    assert console.browser.until("document.getElementById('upload-said').className === 'problem'")
    assert console.browser.run("document.getElementById('upload-said').textContent") == "At most 10 files at once."


def test_a_token_is_shown_once_and_revoked(console: LivingConsole) -> None:
    browser = console.browser
    console.sign_up()
    browser.open(f"{console.url}/tokens")
    console.fill(name="laptop")
    secret = browser.until("document.getElementById('secret')?.textContent")
    assert secret.startswith("qc_")
    browser.open(f"{console.url}/tokens")
    assert secret not in browser.run("document.documentElement.outerHTML")
    browser.run("document.querySelector('td button.danger').click()")
    yes(browser)
    assert browser.until("document.querySelector('td .chip')?.innerText === 'revoked'")


def test_webhook_receiver_is_added_and_tested_and_its_log_shows_deliveries(console: LivingConsole) -> None:
    browser = console.browser
    console.sign_up()
    with receiving() as receiver:
        browser.open(f"{console.url}/webhooks")
        console.fill(url=receiver.url)
        assert browser.until("document.getElementById('secret')?.textContent")
        browser.open(f"{console.url}/")
        drop(console, ("letter.pdf", write_letter()))
        console.until_read(1)
        browser.open(f"{console.url}/webhooks")
        browser.run("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Send a test').click()")
        browser.until(f"{LOG}.innerText.includes('webhook.test')")
        for _ in range(50):
            browser.open(f"{console.url}/webhooks")
            if browser.run("document.querySelectorAll('section.deliveries .chip.succeeded').length") == 2:
                break
        log = browser.run(f"{LOG}.innerText")
    assert "document.finished" in log
    assert "webhook.test" in log
    assert {one.headers["x-svc-event"] for one in receiver.got} == {"document.finished", "webhook.test"}


def test_a_password_is_changed_and_the_account_closed(console: LivingConsole) -> None:
    browser = console.browser
    console.sign_up()
    browser.open(f"{console.url}/account")
    console.fill(current=PASSWORD, new="a much better one")
    browser.until("document.querySelector('.good-news')?.innerText.startsWith('The password is changed')")
    browser.run("document.getElementById('leave').focus()")
    browser.type("a much better one")
    browser.press("Enter")
    yes(browser)
    browser.until("document.body.innerText.includes('Your account is closed')")
    browser.open(f"{console.url}/sign-in")
    console.fill(email="ann@example.org", password="a much better one")
    assert browser.until("document.querySelector('.problem')?.innerText === 'Address or password is wrong.'")
    browser.problems = [one for one in browser.problems if "401" not in one]  # the page of a refused sign-in


def test_a_page_that_is_not_there_is_a_page(console: LivingConsole) -> None:
    browser = console.browser
    console.sign_up()
    browser.open(f"{console.url}/documents/doc_{'a' * 26}")
    assert browser.run("document.querySelector('h1').innerText").strip() == "Not Found"
    browser.problems = [one for one in browser.problems if "404" not in one]
