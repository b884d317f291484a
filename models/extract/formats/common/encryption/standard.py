"""Standard encryption (Office 2007): a header in binary says how; AES by single blocks, SHA-1, 50,000 rounds."""

import hmac
import struct
from typing import Final

from models.cdom.errors import Encrypted, Malformed
from models.extract.formats.common.encryption.aes import decrypt, make_hash, stretch

SPINS: Final = 50_000
"""Rounds of hashing, as the format says."""
_AES: Final = (0x660E, 0x660F, 0x6610)
"""Numbers of the ciphers with keys of 128, 192 and 256 bits."""
_HASH_BYTES: Final = 20
"""Bytes of a SHA-1."""


class StandardLock:
    """What the header says; `open` tries a password."""

    def __init__(self, info: bytes) -> None:
        """Raises `Malformed`, `Encrypted` for a cipher that is not AES."""
        try:
            (size,) = struct.unpack_from("<I", info, 4)
            cipher, _, bits = struct.unpack_from("<III", info, 16)
            after = 8 + size
            (salt_size,) = struct.unpack_from("<I", info, after)
        except struct.error:
            raise Malformed("a locked package that does not say how") from None
        if cipher not in _AES:
            raise Encrypted("a kind of encryption that is not read")
        self._key_bytes = bits // 8
        at = after + 4
        self._salt = info[at : at + salt_size]
        self._verifier = info[at + salt_size : at + salt_size + 16]
        self._verifier_hash = info[at + salt_size + 20 : at + salt_size + 52]

    def open(self, password: str, package: bytes) -> bytes:
        """The decrypted package, with what fills its last block. Raises `Encrypted` for a wrong password."""
        stretched = stretch("sha1", self._salt, password, SPINS)
        final = make_hash("sha1", stretched + bytes(4)).ljust(64, b"\0")
        halves = (make_hash("sha1", bytes(byte ^ pad for byte in final)) for pad in (0x36, 0x5C))
        # a shorter hash is filled with zeros and so becomes the pad itself, as the format says
        key = b"".join(halves)[: self._key_bytes]
        found = make_hash("sha1", decrypt(key, self._verifier, None))
        if not hmac.compare_digest(found, decrypt(key, self._verifier_hash, None)[:_HASH_BYTES]):
            raise Encrypted("wrong password")
        return decrypt(key, package, None)
