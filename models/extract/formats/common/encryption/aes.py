"""The block cipher and the stretching of passwords that both kinds of encryption use."""

import hashlib
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from models.cdom.errors import Encrypted, Malformed, ResourceLimit

MAX_SPINS: Final = 1_000_000
"""Rounds of hashing that a file may ask for: Office and LibreOffice ask for 100,000, and a million take a second."""
BLOCK_BYTES: Final = 16
"""Bytes of a block of AES."""
_HASHES: Final = frozenset(("sha1", "sha256", "sha384", "sha512"))


def make_hash(name: str, data: bytes) -> bytes:
    """Raises `Encrypted` for a hash that Office does not use."""
    known = name.lower().replace("-", "")
    if known not in _HASHES:
        raise Encrypted("a kind of encryption that is not read")
    return hashlib.new(known, data).digest()


def stretch(name: str, salt: bytes, password: str, spins: int) -> bytes:
    """The hash of a password, hashed on as often as the file says. Raises `ResourceLimit`."""
    if spins > MAX_SPINS:
        raise ResourceLimit("the password of a file would be hashed too often")
    digest = make_hash(name, salt + password.encode("utf-16-le", "surrogatepass"))
    known = name.lower().replace("-", "")
    for spin in range(spins):
        digest = hashlib.new(known, spin.to_bytes(4, "little") + digest).digest()
    return digest


def decrypt(key: bytes, data: bytes, start: bytes | None) -> bytes:
    """Whole blocks decrypted: chained from `start`, each by itself without one. Raises `Malformed`."""
    if len(key) not in (16, 24, 32):
        raise Malformed("a key of no length that AES has")
    mode = modes.CBC(start) if start is not None else modes.ECB()  # noqa: S305
    cipher = Cipher(algorithms.AES(key), mode).decryptor()
    return cipher.update(data[: len(data) // BLOCK_BYTES * BLOCK_BYTES]) + cipher.finalize()


def fit(data: bytes, size: int) -> bytes:
    """Cut, or filled up as the format says."""
    return data[:size].ljust(size, b"\x36")
