"""`python -m tests.packages.console.accessibility [FOLDER]`: axe-core on every page of the console; pictures there.

Light and dark, wide and narrow. Fails on any violation and on anything wider than the window.
"""

import sys
import tempfile
from pathlib import Path

from quire.serve_apps.viewer.document_view import TABS
from quire.storage.store import open_store
from tests.packages.console.living import LivingConsole, living_console
from tests.postgres import test_server
from tests.storage.receivers import receiving
from tests.ui.browser.axe import find_violations
from tests.ui.browser.chromium import chromium
from tests.ui.papers import write_letter

SCREENS = (
    ("wide", 1440, 900, False),
    ("dark", 1440, 900, True),
    ("narrow", 360, 740, False),
    ("small", 360, 740, True),
)
UPLOAD = """
(() => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob("CONTENT"), (one) => one.charCodeAt(0))], "NAME"));
  document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
  return true;
})()
"""


def main(arguments: list[str]) -> int:
    """Return 0 when no page has a violation."""
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        pictures = Path(arguments[0]) if arguments else Path(folder)
        pictures.mkdir(parents=True, exist_ok=True)
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with (
            chromium() as browser,
            living_console(store, dsn, Path(folder), browser) as console,
            receiving() as receiver,
        ):
            found = _check_all(console, pictures, receiver.url)
        store.close()
    for line in found:
        print(line)
    print(f"{len(found)} violations")
    return 1 if found else 0


def _check_all(console: LivingConsole, pictures: Path, receiver: str) -> list[str]:
    browser = console.browser
    browser.call("Page.setBypassCSP", enabled=True)  # axe is put into the page from outside
    found = _check(console, pictures, "sign-in", "/sign-in") + _check(
        console, pictures, "new-password", "/new-password"
    )
    browser.screen(1440, 900, dark=False)
    console.sign_up("ann.with.a.long.name@subdomain.example.org")
    found += _check(console, pictures, "empty", "/")
    browser.open(f"{console.url}/webhooks")
    console.fill(url=receiver)
    browser.until("document.getElementById('secret') !== null")
    found += _look(console, pictures, "webhook-secret")
    _upload(console, "letter.pdf", write_letter(1, 4))
    console.until_read(1)
    _upload(console, "a rather long name of a broken file that nobody can read.txt", b"no document")
    console.until_read(2)
    found += _look(console, pictures, "uploaded")
    document = browser.run("[...document.querySelectorAll('#sent th a')].map((a) => a.getAttribute('href')).at(-1)")
    browser.open(f"{console.url}/tokens")
    console.fill(name="laptop")
    browser.until("document.getElementById('secret') !== null")
    found += _look(console, pictures, "token-secret")
    pages = {
        "documents": "/",
        "document": document,
        **{tab: f"{document}?tab={tab}" for tab in TABS},
        "redacted": f"{document}?redacted=1",
        "search": "/search?q=letter",
        "failed": browser.run("fetch('/').then((a) => a.text()).then((t) => t.match(/.documents.doc_\\w+/)[0])"),
        "tokens": "/tokens",
        "webhooks": "/webhooks",
        "account": "/account",
        "refused": f"/documents/doc_{'a' * 26}",
    }
    for name, path in pages.items():
        found += _check(console, pictures, name, path)
    return found


def _upload(console: LivingConsole, name: str, content: bytes) -> None:
    import base64

    browser = console.browser
    browser.open(f"{console.url}/")
    browser.run(UPLOAD.replace("CONTENT", base64.b64encode(content).decode()).replace("NAME", name))
    browser.until("document.getElementById('upload-said').textContent.startsWith('Done')")


def _check(console: LivingConsole, pictures: Path, name: str, path: str) -> list[str]:
    console.browser.open(console.url + path)
    return _look(console, pictures, name)


def _look(console: LivingConsole, pictures: Path, name: str) -> list[str]:
    """The page as it stands, on every screen."""
    browser, found = console.browser, []
    for screen, width, height, dark in SCREENS:
        browser.screen(width, height, dark=dark)
        browser.hold_still(dark=dark)
        browser.until("[...document.images].every((image) => image.complete)")
        browser.picture(pictures / f"{name}-{screen}.png")
        if browser.run("document.documentElement.scrollWidth") > width:
            found.append(f"{name} {screen}: wider than the window")
        found += [f"{name} {screen}: {line}" for line in find_violations(browser)]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
