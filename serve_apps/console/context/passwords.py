"""Hash and check passwords with the standard library's scrypt; the hash contains its parameters."""

import base64
import hashlib
import os
import unicodedata
from dataclasses import dataclass
from hmac import compare_digest

SHORTEST, LONGEST = 10, 1024  # characters of a password
_BYTES = 32  # bytes of salt and of the derived key


@dataclass(frozen=True, slots=True)
class Passwords:
    """scrypt parameters: `cost` N (a power of two), 8 blocks, `lanes` p.

    2^15 and 3 need 32 MiB and about 0.2 s of CPU.
    """

    cost: int = 1 << 15
    lanes: int = 3

    def hash(self, password: str) -> str:
        """Return the password's scrypt hash with its parameters and a new salt."""
        salt = os.urandom(16)
        return "$".join(
            (
                "scrypt",
                str(self.cost),
                str(self.lanes),
                _text(salt),
                _text(_derive(password, salt, self.cost, self.lanes)),
            )
        )

    def check(self, password: str, hashed: str | None) -> bool:
        """Return whether the password matches. A missing account costs the same work, so timing reveals nothing."""
        if hashed is None:
            _derive(password, bytes(16), self.cost, self.lanes)
            return False
        _, cost, lanes, salt, digest = hashed.split("$")
        return compare_digest(_derive(password, _bytes(salt), int(cost), int(lanes)), _bytes(digest))


def _derive(password: str, salt: bytes, cost: int, lanes: int) -> bytes:
    typed = unicodedata.normalize("NFKC", password).encode()
    return hashlib.scrypt(typed, salt=salt, n=cost, r=8, p=lanes, maxmem=256 * cost * 8, dklen=_BYTES)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)
