"""Decryption of an Office package: the compound file and the password in, the package inside it out."""

import base64
import binascii
import hashlib
import hmac
import struct
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit
from quire.models.extract.formats.common.compound import CompoundFile
from quire.models.extract.formats.common.xml import Element, number, parse_xml

MAX_SPINS: Final = 1_000_000
"""Hash rounds that a file may request: Office and LibreOffice use 100,000; a million take a second."""
BLOCK_BYTES: Final = 16
"""Bytes of an AES block."""
_HASHES: Final = frozenset(("sha1", "sha256", "sha384", "sha512"))


def make_hash(name: str, data: bytes) -> bytes:
    """Return the digest of `data` by the hash of that name.

    Raises:
        Encrypted: Office does not use this hash.
    """
    known = name.lower().replace("-", "")
    if known not in _HASHES:
        raise Encrypted("a kind of encryption that is not read")
    return hashlib.new(known, data).digest()


def stretch(name: str, salt: bytes, password: str, spins: int) -> bytes:
    """Return the hash of a password, repeated as often as the file states.

    Raises:
        ResourceLimit: The file requests more than `MAX_SPINS` rounds.
    """
    if spins > MAX_SPINS:
        raise ResourceLimit("the password of a file would be hashed too often")
    digest = make_hash(name, salt + password.encode("utf-16-le", "surrogatepass"))
    known = name.lower().replace("-", "")
    for spin in range(spins):
        digest = hashlib.new(known, spin.to_bytes(4, "little") + digest).digest()
    return digest


def decrypt(key: bytes, data: bytes, start: bytes | None) -> bytes:
    """Decrypt whole AES blocks: chained (CBC) from `start`, or each block separately (ECB) without one.

    Raises:
        Malformed: The key has no length that AES supports.
    """
    if len(key) not in (16, 24, 32):
        raise Malformed("a key of no length that AES has")
    mode = modes.CBC(start) if start is not None else modes.ECB()  # noqa: S305
    cipher = Cipher(algorithms.AES(key), mode).decryptor()
    return cipher.update(data[: len(data) // BLOCK_BYTES * BLOCK_BYTES]) + cipher.finalize()


def fit(data: bytes, size: int) -> bytes:
    """Cut the bytes to `size` or pad them with 0x36, as the format defines."""
    return data[:size].ljust(size, b"\x36")


_VERIFIER_INPUT: Final = bytes.fromhex("fea7d2763b4b9e79")
_VERIFIER_VALUE: Final = bytes.fromhex("d7aa0f6d3061344e")
_KEY_VALUE: Final = bytes.fromhex("146e0be7abacd0d6")
_PART_BYTES: Final = 4096
"""Bytes of the package that are encrypted together, by the format."""


class AgileLock:
    """Agile encryption, as its XML part describes it."""

    def __init__(self, xml: bytes) -> None:
        """Read the description.

        Raises:
            Malformed: The description is incomplete.
            Encrypted: The cipher is one that Office does not use by itself.
        """
        root = parse_xml(xml)
        data, key = root.find("{*}keyData"), root.find(".//{*}encryptedKey")
        if data is None or key is None:
            raise Malformed("a locked package that does not say how")
        for node in (data, key):
            if node.get("cipherAlgorithm") != "AES" or node.get("cipherChaining") != "ChainingModeCBC":
                raise Encrypted("a kind of encryption that is not read")
        self._data, self._key = data, key

    def open(self, password: str, package: bytes) -> bytes:
        """Return the decrypted package, including the padding of its last block.

        Raises:
            Encrypted: The password is wrong.
        """
        key, name = self._key, self._key.get("hashAlgorithm", "")
        salt = _bytes_of(key, "saltValue")
        stretched = stretch(name, salt, password, number(key.get("spinCount")))

        def part(block: bytes, attribute: str) -> bytes:
            part_key = fit(make_hash(name, stretched + block), number(key.get("keyBits")) // 8)
            return decrypt(part_key, _bytes_of(key, attribute), fit(salt, BLOCK_BYTES))

        digest = make_hash(name, part(_VERIFIER_INPUT, "encryptedVerifierHashInput")[: number(key.get("saltSize"))])
        stated = part(_VERIFIER_VALUE, "encryptedVerifierHashValue")[: len(digest)]
        if not hmac.compare_digest(digest, stated):
            raise Encrypted("wrong password")
        secret = part(_KEY_VALUE, "encryptedKeyValue")[: number(key.get("keyBits")) // 8]
        return b"".join(self._open_parts(secret, package))

    def _open_parts(self, secret: bytes, package: bytes) -> list[bytes]:
        name, salt = self._data.get("hashAlgorithm", ""), _bytes_of(self._data, "saltValue")
        parts: list[bytes] = []
        for offset in range(0, len(package), _PART_BYTES):
            start = make_hash(name, salt + (offset // _PART_BYTES).to_bytes(4, "little"))
            parts.append(decrypt(secret, package[offset : offset + _PART_BYTES], fit(start, BLOCK_BYTES)))
        return parts


def _bytes_of(node: Element, name: str) -> bytes:
    try:
        return base64.b64decode(node.get(name) or "", validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("a locked package that does not say how") from None


SPINS: Final = 50_000
"""Hash rounds, by the format."""
_AES: Final = (0x660E, 0x660F, 0x6610)
"""Numbers of the ciphers with keys of 128, 192 and 256 bits."""
_HASH_BYTES: Final = 20
"""Bytes of a SHA-1 digest."""


class StandardLock:
    """Standard encryption, as its header describes it."""

    def __init__(self, info: bytes) -> None:
        """Read the header.

        Raises:
            Malformed: The header is incomplete.
            Encrypted: The cipher is not AES.
        """
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
        salt_start = after + 4
        self._salt = info[salt_start : salt_start + salt_size]
        self._verifier = info[salt_start + salt_size : salt_start + salt_size + 16]
        self._verifier_hash = info[salt_start + salt_size + 20 : salt_start + salt_size + 52]

    def open(self, password: str, package: bytes) -> bytes:
        """Return the decrypted package, including the padding of its last block.

        Raises:
            Encrypted: The password is wrong.
        """
        stretched = stretch("sha1", self._salt, password, SPINS)
        final = make_hash("sha1", stretched + bytes(4)).ljust(64, b"\0")
        halves = (make_hash("sha1", bytes(byte ^ pad for byte in final)) for pad in (0x36, 0x5C))
        # the format pads a shorter hash with zeros, which XOR turns into the pad itself
        key = b"".join(halves)[: self._key_bytes]
        digest = make_hash("sha1", decrypt(key, self._verifier, None))
        if not hmac.compare_digest(digest, decrypt(key, self._verifier_hash, None)[:_HASH_BYTES]):
            raise Encrypted("wrong password")
        return decrypt(key, package, None)


_AGILE: Final = (4, 4)
"""The version number of agile encryption."""
_STANDARD_MINOR: Final = 2
"""The lower half of the version number of standard encryption."""
_STANDARD_MAJORS: Final = (2, 3, 4)
"""The upper halves that Office has written with it."""


def unlock(data: bytes, password: str | None) -> bytes:
    """Return the decrypted package.

    Raises:
        Encrypted: The password is missing or wrong, or the kind of encryption is not supported.
        Malformed: The file is broken.
    """
    if password is None:
        raise Encrypted("the file wants a password")
    file = CompoundFile(data)
    info = file.read(file.find("EncryptionInfo") or ())
    package = file.read(file.find("EncryptedPackage") or ())
    if len(info) < 8 or len(package) < 8:
        raise Malformed("a locked package without its parts")
    size = int.from_bytes(package[:8], "little")
    opened = _make_lock(info).open(password, package[8:])
    if size > len(opened):
        raise Malformed("a locked package that is cut off")
    return opened[:size]


def _make_lock(info: bytes) -> AgileLock | StandardLock:
    major, minor = struct.unpack_from("<HH", info)
    if (major, minor) == _AGILE:
        return AgileLock(info[8:])
    if minor == _STANDARD_MINOR and major in _STANDARD_MAJORS:
        return StandardLock(info[4:])
    raise Encrypted("a kind of encryption that is not read")
