"""Agile encryption (Office 2010 and later, LibreOffice): an XML part says how; the package is in parts of 4 KiB."""

import base64
import binascii
import hmac
from typing import Final

from models.cdom.errors import Encrypted, Malformed
from models.extract.formats.common.encryption.aes import BLOCK_BYTES, decrypt, fit, make_hash, stretch
from models.extract.formats.common.xml import Element, number, parse_xml

_VERIFIER_INPUT: Final = bytes.fromhex("fea7d2763b4b9e79")
_VERIFIER_VALUE: Final = bytes.fromhex("d7aa0f6d3061344e")
_KEY_VALUE: Final = bytes.fromhex("146e0be7abacd0d6")
_PART_BYTES: Final = 4096
"""Bytes of the package that are encrypted together, as the format says."""


class AgileLock:
    """What the part says; `open` tries a password."""

    def __init__(self, xml: bytes) -> None:
        """Raises `Malformed`, `Encrypted` for a cipher that Office does not use by itself."""
        root = parse_xml(xml)
        data, key = root.find("{*}keyData"), root.find(".//{*}encryptedKey")
        if data is None or key is None:
            raise Malformed("a locked package that does not say how")
        for node in (data, key):
            if node.get("cipherAlgorithm") != "AES" or node.get("cipherChaining") != "ChainingModeCBC":
                raise Encrypted("a kind of encryption that is not read")
        self._data, self._key = data, key

    def open(self, password: str, package: bytes) -> bytes:
        """The decrypted package, with what fills its last block. Raises `Encrypted` for a wrong password."""
        key, name = self._key, self._key.get("hashAlgorithm", "")
        salt = _bytes_of(key, "saltValue")
        stretched = stretch(name, salt, password, number(key.get("spinCount")))

        def part(block: bytes, what: str) -> bytes:
            made = fit(make_hash(name, stretched + block), number(key.get("keyBits")) // 8)
            return decrypt(made, _bytes_of(key, what), fit(salt, BLOCK_BYTES))

        found = make_hash(name, part(_VERIFIER_INPUT, "encryptedVerifierHashInput")[: number(key.get("saltSize"))])
        stated = part(_VERIFIER_VALUE, "encryptedVerifierHashValue")[: len(found)]
        if not hmac.compare_digest(found, stated):
            raise Encrypted("wrong password")
        secret = part(_KEY_VALUE, "encryptedKeyValue")[: number(key.get("keyBits")) // 8]
        return b"".join(self._open_parts(secret, package))

    def _open_parts(self, secret: bytes, package: bytes) -> list[bytes]:
        name, salt = self._data.get("hashAlgorithm", ""), _bytes_of(self._data, "saltValue")
        parts: list[bytes] = []
        for at in range(0, len(package), _PART_BYTES):
            start = make_hash(name, salt + (at // _PART_BYTES).to_bytes(4, "little"))
            parts.append(decrypt(secret, package[at : at + _PART_BYTES], fit(start, BLOCK_BYTES)))
        return parts


def _bytes_of(node: Element, name: str) -> bytes:
    try:
        return base64.b64decode(node.get(name) or "", validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("a locked package that does not say how") from None
