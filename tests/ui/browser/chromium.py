"""Headless Chromium over its DevTools protocol: just enough to open pages, press keys and look."""

import base64
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.waiting import PATIENCE_S, START_S, until

_PATIENCE_S = 120.0
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # tests run as root in containers
    "--disable-gpu",
    "--force-prefers-reduced-motion",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-extensions",
    "--in-process-gpu",  # nothing is drawn on a screen: one process less that copies each frame
    # A test opens and leaves pages for good: no process is kept ready for the next page, and no page for going back.
    "--disable-features=SpareRendererForSitePerProcess,BackForwardCache",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
)


class Browser:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._last = socket, 0
        self.problems: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the result of one command; meanwhile keep notices that report a problem."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=_PATIENCE_S))
            self._note(message)
            if message.get("id") == self._last:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def forget(self) -> None:
        """Like a browser just started: no cookies, no notices of problems, an empty page in the first window."""
        self.call("Page.navigate", url="about:blank")
        self.call("Emulation.clearDeviceMetricsOverride")
        self.call("Emulation.setEmulatedMedia", features=[])
        self.call("Network.clearBrowserCookies")
        self.problems.clear()

    def hold_still(self, *, dark: bool) -> None:
        """Show the colours of one theme without transitions."""
        wanted = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, url: str) -> None:
        """Goes there and waits until the page is whole."""
        self.call("Page.navigate", url=url)
        self.until("location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """The value of an expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, script: str) -> Any:
        """The expression's value once it is true in a page that is all there, its scripts too: a key may be pressed."""
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            try:
                value = self.run(f"document.readyState === 'complete' && ({script})")
            except AssertionError:  # the page went away under the question
                value = None
            if value:
                return value
            time.sleep(0.05)
        shown = self.run("location.href + ' ' + document.body.innerText")
        raise TimeoutError(f"never true: {script}; at {shown}")

    def has_frame(self, ending: str) -> bool:
        """True once a frame of another origin is there whose address ends so."""

        def there() -> bool:
            targets = self.call("Target.getTargets")["targetInfos"]
            return any(one["type"] == "iframe" and one["url"].endswith(ending) for one in targets)

        return until(there, _PATIENCE_S)

    def press(self, key: str, *, shift: bool = False) -> None:
        """One key, as from a keyboard."""
        named = {"Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), "ArrowLeft": (37, ""), "ArrowRight": (39, "")}
        code, text = named.get(key, (ord(key[0].upper()), key))
        shared = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def type(self, text: str) -> None:
        """Type into the focused element."""
        self.call("Input.insertText", text=text)

    def choose_files(self, selector: str, *paths: Path) -> None:
        """As a person does in the file dialog."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])

    def drop_files(self, selector: str, *paths: Path) -> None:
        """As a person does who drags them from the desktop onto the middle of that element."""
        box = self.run(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")
        where = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, data=data, **where)

    def click(self, selector: str) -> None:
        """With the mouse, in the middle of the first such element once it is there, brought into view."""
        script = f"""(() => {{ const one = document.querySelector({json.dumps(selector)}); if (!one) return null;
            one.scrollIntoView({{ block: 'center' }}); return one.getBoundingClientRect().toJSON(); }})()"""
        box = self.until(script)  # a page that follows its job is exchanged under the mouse
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, **at)

    def screen(self, width: int, height: int, *, dark: bool) -> None:
        """The window's size in CSS pixels, and what the system prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """A PNG of the window."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def _note(self, message: dict[str, Any]) -> None:
        if message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(message["params"]["exceptionDetails"])[:500])
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.problems.append(f"{message['params']['entry']['text']} {message['params']['entry'].get('url', '')}")


@contextmanager
def chromium(program: str = "chromium") -> Iterator[Browser]:
    """Start a browser with a fresh profile."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        started = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            port = _wait_for_port(Path(profile) / "DevToolsActivePort")
            pages = httpx.get(f"http://127.0.0.1:{port}/json", timeout=START_S).json()
            address = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
            with connect(address, max_size=None) as socket:
                yield Browser(socket)
        finally:
            started.terminate()
            started.wait(PATIENCE_S)


def _wait_for_port(file: Path) -> int:
    if not until(lambda: file.exists() and file.read_text().splitlines(), START_S):
        raise TimeoutError("Chromium did not start")
    return int(file.read_text().splitlines()[0])
