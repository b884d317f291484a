"""A file from an address somebody named, under the rules of `egress`: every hop is judged, size and time are bounded.

In: a URL and where its bytes go. Out: the name the file has there. No credentials, no cookies, no proxies.
"""

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from storage.webhooks.egress import Egress, GuardedConnection, Target, Unreachable, describe_failure

MOST_REDIRECTS = 5
"""Hops of one download: browsers stop at twenty, and an honest link needs two or three."""
DOWNLOAD_S = 60.0
"""Seconds for the whole download with all its hops; a caller waits for as long."""
_PIECE_BYTES = 64 * 1024
"""Bytes read at a time, so that a file that is too large is noticed soon after it is."""
_MOVED = frozenset({301, 302, 303, 307, 308})
_ASKED = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "Quire"}


class DownloadTooLarge(Exception):
    """More bytes than a file may have."""


@dataclass(frozen=True, slots=True)
class Downloads:
    """Shared by all callers; `get` blocks: call it in a thread."""

    egress: Egress
    timeout_s: float = DOWNLOAD_S

    def get(self, url: str, take: Callable[[bytes], object], max_bytes: int) -> str:
        """Hands the content over piece by piece and says its name.

        Raises `UrlRefused`, `Unreachable` (its code says why) and `DownloadTooLarge`.
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
        self, target: Target, open_now: list[GuardedConnection], take: Callable[[bytes], object], max_bytes: int
    ) -> str | None:
        """None when the content was taken, else where it leads."""
        connection = self.egress.connect(target, self.timeout_s)
        open_now[:] = [connection]
        try:
            connection.request("GET", target.path, headers={"Host": target.netloc, **_ASKED})
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
    said = response.getheader("Content-Length", "")
    if said.isdecimal() and int(said) > max_bytes:
        raise DownloadTooLarge
    taken = 0
    while piece := response.read(_PIECE_BYTES):
        taken += len(piece)
        if taken > max_bytes:
            raise DownloadTooLarge
        take(piece)
    if said.isdecimal() and taken != int(said):
        raise http.client.IncompleteRead(b"")
