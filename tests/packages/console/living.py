"""A console on a socket in front of a real engine with letters to read, and a browser: what browser tests stand on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.serve_apps.console.app import create_console
from quire.serve_apps.console.sending.watcher import Watcher
from quire.storage.store import Store
from quire.storage.webhooks.egress import Egress
from quire.storage.webhooks.outbox import StoreOutbox
from tests.api.live import listening, listening_app
from tests.packages.console.harness import ENGINE_KEY, PASSWORD, resources_of
from tests.ui.browser.chromium import Browser
from tests.ui.papers import LetterReader, letter_resources


@dataclass
class LivingConsole:
    """`browser` is signed out."""

    browser: Browser
    url: str

    def fill(self, **fields: str) -> None:
        """Types into the form's fields by their ids, then presses Enter."""
        for name, text in fields.items():
            self.browser.run(f"document.getElementById('{name}').focus()")
            self.browser.run(f"document.getElementById('{name}').value = ''")
            self.browser.type(text)
        self.browser.press("Enter")

    def sign_up(self, email: str = "ann@example.org") -> None:
        """By keyboard, from the form, up to the page of documents."""
        self.browser.open(f"{self.url}/sign-up")
        self.fill(email=email, password=PASSWORD)
        self.browser.until("location.pathname === '/'")

    def until_read(self, documents: int) -> None:
        """The list shows that so many documents have ended."""
        ended = "document.querySelectorAll('#sent .chip.succeeded, #sent .chip.failed').length"
        self.browser.until(f"{ended} === {documents}")


@contextmanager
def living_console(store: Store, dsn: str, folder: Path, browser: Browser) -> Iterator[LivingConsole]:
    reader = LetterReader(store)
    thread = threading.Thread(target=reader.run)
    thread.start()
    egress = Egress(allow=["127.0.0.1"])
    try:
        with listening(letter_resources(store, dsn=dsn)) as engine:
            workers = (
                Watcher(store.db, engine, ENGINE_KEY),
                Dispatcher(StoreOutbox(store, "wrk_living"), egress.post, poll_s=0.05),
            )
            resources = resources_of(store, engine, folder, workers=workers, egress=egress)
            with listening_app(create_console(resources)) as url:
                yield LivingConsole(browser, url)
    finally:
        reader.stopping.set()
        thread.join()
