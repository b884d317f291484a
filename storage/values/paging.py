"""Pages of a listing and the signed cursor to the next one.

A cursor is the sort key of the last item shown, signed for one listing and one scope: forged, foreign or from another
listing it is refused.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from quire.storage.values.errors import InvalidCursor
from quire.storage.values.rows import Scope
from quire.storage.values.signing import Signer

T = TypeVar("T")
_SIGNATURE_BYTES = 16  # bytes of the signature in a cursor


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """Items of one page, newest first; the last page has no `next_cursor`."""

    items: tuple[T, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Cursors:
    """Writes and reads the cursors of one listing for one scope."""

    signer: Signer
    listing: str
    scope: Scope

    def write(self, key: Sequence[Any]) -> str:
        """Return the signed cursor that continues after the item with this sort key."""
        message = json.dumps(list(key), separators=(",", ":")).encode()
        signature = self.signer.sign(self._purpose, message)
        return base64.urlsafe_b64encode(signature + message).decode().rstrip("=")

    def read(self, cursor: str) -> list[Any]:
        """Return the sort key inside a cursor.

        Raises:
            InvalidCursor: The cursor is malformed, forged, or of another listing or scope.
        """
        try:
            raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidCursor("not a cursor") from error
        signature, message = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not self.signer.verify(self._purpose, message, signature):
            raise InvalidCursor("the cursor does not belong to this listing")
        key: list[Any] = json.loads(message)
        return key

    def page(self, items: Sequence[T], limit: int, key: Callable[[T], Sequence[Any]]) -> ListPage[T]:
        """Return the page of the first `limit` items; one item more than that means that a next page exists."""
        shown = tuple(items[:limit])
        more = len(items) > limit
        return ListPage(shown, self.write(key(shown[-1])) if more and shown else None)

    @property
    def _purpose(self) -> str:
        return json.dumps(["cursor", self.listing, self.scope.tenant, self.scope.org])
