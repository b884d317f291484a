"""HMAC over bytes that leave this deployment and come back: cursors. One key, bound to a purpose each time."""

import hashlib
import hmac


class Signer:
    """Signs for a purpose; a signature for one purpose is worthless for another."""

    def __init__(self, key: bytes) -> None:
        if len(key) < 16:
            raise ValueError("a signing key has at least 16 bytes")
        self._key = key

    def sign(self, purpose: str, message: bytes) -> bytes:
        """Return 16 bytes of HMAC-SHA256 over purpose and message."""
        return hmac.digest(self._key, len(purpose).to_bytes(4, "big") + purpose.encode() + message, hashlib.sha256)[:16]

    def derive(self, purpose: str) -> bytes:
        """Return the 32-byte key for a purpose."""
        return hmac.digest(self._key, b"derive:" + purpose.encode(), hashlib.sha256)

    def verify(self, purpose: str, message: bytes, signature: bytes) -> bool:
        """Return whether `signature` is the signature of the message for this purpose, in constant time."""
        return hmac.compare_digest(self.sign(purpose, message), signature)
