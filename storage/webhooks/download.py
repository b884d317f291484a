"""Download of a file from a caller's URL under the rules of `egress`: every hop is checked, size and time are bounded.

Takes a URL and a function for the bytes, and returns the file's name. No credentials, no cookies, no proxies.
"""

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from quire.storage.webhooks.egress import CheckedUrl, Egress, GuardedConnection, Unreachable, describe_failure

MOST_REDIRECTS = 5
"""Hops of one download: browsers stop at twenty, and an honest link needs two or three."""
DOWNLOAD_S = 60.0
"""Seconds for the whole download with all its hops; a caller waits for as long."""
_PIECE_BYTES = 64 * 1024
"""Bytes read at a time, so that a file that is too large is noticed soon after it is."""
_MOVED = frozenset({301, 302, 303, 307, 308})
_ASKED = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "Quire"}


class DownloadTooLarge(Exception):
    """The file has more bytes than allowed."""


@dataclass(frozen=True, slots=True)
class Downloads:
    """Downloader shared by all callers. `get` blocks, so call it in a thread."""

    egress: Egress
    timeout_s: float = DOWNLOAD_S

    def get(self, url: str, take: Callable[[bytes], object], max_bytes: int) -> str:
        """Pass the content to `take` piece by piece and return the file's name.

        Raises:
            UrlRefused: A URL of the chain may not be called.
            Unreachable: The download failed; its code names the reason.
            DownloadTooLarge: The file has more than `max_bytes` bytes.
        """
        open_now: list[GuardedConnection] = []
        deadline = threading.Timer(self.timeout_s, _cut_all, [open_now])
        deadline.daemon = True
        deadline.start()
        try:
            for _ in range(MOST_REDIRECTS + 1):
                onward = self._hop(self.egress.check(url), open_now, take, max_bytes)
                if onward is None:
                    return unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])
                url = urljoin(url, onward)
            raise Unreachable("too-many-redirects")
        finally:
            deadline.cancel()

    def _hop(
        self, target: CheckedUrl, open_now: list[GuardedConnection], take: Callable[[bytes], object], max_bytes: int
    ) -> str | None:
        """Fetch one URL; return the address of a redirect, or None after the content was taken."""
        connection = self.egress.connect(target, self.timeout_s)
        open_now[:] = [connection]
        try:
            connection.request("GET", target.address.path, headers={"Host": target.address.netloc, **_ASKED})
            response = connection.getresponse()
            if response.status in _MOVED and (onward := response.getheader("Location")):
                return onward
            if response.status != 200:
                raise Unreachable(f"http-{response.status}")
            _take_all(response, take, max_bytes)
            if connection.was_cut:
                raise Unreachable("timeout")
            return None
        except (OSError, http.client.HTTPException, AttributeError) as error:
            raise Unreachable(describe_failure(error, connection.was_cut)) from None
        finally:
            connection.close()


def _cut_all(connections: list[GuardedConnection]) -> None:
    for connection in connections:
        connection.cut()


def _take_all(response: http.client.HTTPResponse, take: Callable[[bytes], object], max_bytes: int) -> None:
    declared = response.getheader("Content-Length", "")
    if declared.isdecimal() and int(declared) > max_bytes:
        raise DownloadTooLarge
    taken = 0
    while piece := response.read(_PIECE_BYTES):
        taken += len(piece)
        if taken > max_bytes:
            raise DownloadTooLarge
        take(piece)
    if declared.isdecimal() and taken != int(declared):
        raise http.client.IncompleteRead(b"")
