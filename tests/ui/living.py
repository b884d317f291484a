"""A service with real pages behind a socket, its reader at work, and a browser: what the browser tests stand on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from storage.store import Store
from tests.api.live import listening
from tests.ui.chromium import Browser, chromium
from tests.ui.papers import LetterReader, letter_resources

KEY = "acme-admin"


@dataclass
class Living:
    """`browser` is signed out."""

    browser: Browser
    url: str

    def sign_in(self, key: str = KEY) -> None:
        """By keyboard, from the form."""
        self.browser.open(f"{self.url}/ui")
        self.browser.run("document.getElementById('key').focus()")
        self.browser.type(key)
        self.browser.press("Enter")
        self.browser.until("location.pathname === '/ui' && document.readyState === 'complete'")

    def send(self, *files: tuple[str, bytes]) -> dict[str, object]:
        """A finished job, sent past the browser."""
        parts = [("files", file) for file in files]
        with httpx.Client(base_url=self.url, headers={"X-API-Key": KEY}, timeout=60) as http:
            job = http.post("/v1/jobs", files=parts).json()
            ended: dict[str, object] = http.get(f"/v1/jobs/{job['id']}", params={"wait": 50}).json()
            return ended

    def pending(self) -> list[dict[str, object]]:
        """What waits for a decision."""
        with httpx.Client(base_url=self.url, headers={"X-API-Key": KEY}, timeout=60) as http:
            items: list[dict[str, object]] = http.get("/v1/review", params={"limit": 1000}).json()
            return items


@contextmanager
def living(store: Store, dsn: str) -> Iterator[Living]:
    reader = LetterReader(store)
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        with listening(letter_resources(store, dsn=dsn)) as url, chromium() as browser:
            yield Living(browser, url)
    finally:
        reader.stopping.set()
        thread.join()
