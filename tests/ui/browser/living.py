"""A service with real pages behind a socket, its reader at work, and a browser: what the browser tests stand on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import httpx

from quire.storage.store import Store
from tests.api.live import listening
from tests.ui.browser.chromium import Browser, chromium
from tests.ui.papers import LetterReader, letter_resources

KEY = "acme-admin"


@dataclass
class Living:
    """`browser` is signed out. `org` is where everything is sent and looked at."""

    browser: Browser
    url: str
    org: str = "default"

    def sign_in(self, key: str = KEY) -> None:
        """By keyboard, from the form."""
        self.browser.open(f"{self.url}/ui")
        self.browser.run("document.getElementById('key').focus()")
        self.browser.type(key)
        if self.org != "default":
            self.browser.run("document.getElementById('org').focus()")
            self.browser.type(self.org)
        self.browser.press("Enter")
        self.browser.until("location.pathname === '/ui'")

    def sign_out(self) -> None:
        """By the button."""
        self.browser.run("document.querySelector('.who button').click()")
        self.browser.until("location.pathname === '/ui/login'")

    def ask(self, method: str, path: str, **sent: Any) -> Any:
        """The API's answer, past the browser; None for an empty one."""
        headers = {"X-API-Key": KEY, "X-DE-Org": self.org}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60) as http:
            answer = http.request(method, f"/v1/{path}", **sent)
            answer.raise_for_status()
            return answer.json() if answer.content else None

    def send(self, *files: tuple[str, bytes], wait: float = 50) -> dict[str, Any]:
        """A job of these files, finished unless `wait` (seconds) is over before."""
        job = self.ask("POST", "jobs", files=[("files", file) for file in files])
        ended: dict[str, Any] = self.ask("GET", f"jobs/{job['id']}", params={"wait": wait})
        return ended

    def pending(self) -> list[dict[str, object]]:
        """Return the flags that wait for a decision."""
        items: list[dict[str, object]] = self.ask("GET", "review", params={"limit": 1000})
        return items


@contextmanager
def living(store: Store, dsn: str, browser: Browser | None = None, **changes: Any) -> Iterator[Living]:
    """`browser`: a signed-out one, started if not given. `changes`: fields of `Resources`."""
    reader = LetterReader(store)
    thread = threading.Thread(target=reader.run)
    thread.start()
    try:
        with (
            listening(letter_resources(store, **{"dsn": dsn, **changes})) as url,
            chromium() if browser is None else nullcontext(browser) as used,
        ):
            yield Living(used, url)
    finally:
        reader.stopping.set()
        thread.join()
