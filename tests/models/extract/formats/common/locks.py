"""Puts packages under a password, as Office 2007 (standard) and later Office (agile) do."""

import base64
import hashlib
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.models.extract.formats.common.compound_files import compound

SALT = bytes(range(16))
SPINS = 1000
XML = (
    '<encryption xmlns="http://schemas.microsoft.com/office/2006/encryption">'
    '<keyData saltSize="16" blockSize="16" keyBits="{bits}" hashSize="{size}" cipherAlgorithm="{cipher}"'
    ' cipherChaining="ChainingModeCBC" hashAlgorithm="{name}" saltValue="{salt}"/>'
    '<keyEncryptors><keyEncryptor uri="http://schemas.microsoft.com/office/2006/keyEncryptor/password">'
    '<p:encryptedKey xmlns:p="http://schemas.microsoft.com/office/2006/keyEncryptor/password" spinCount="{spins}"'
    ' saltSize="16" blockSize="16" keyBits="{bits}" hashSize="{size}" cipherAlgorithm="{cipher}"'
    ' cipherChaining="ChainingModeCBC" hashAlgorithm="{name}" saltValue="{salt}" encryptedVerifierHashInput="{input}"'
    ' encryptedVerifierHashValue="{value}" encryptedKeyValue="{key}"/></keyEncryptor></keyEncryptors></encryption>'
)


def lock_agile(
    package: bytes, password: str, *, name: str = "SHA512", bits: int = 256, cipher: str = "AES", spins: int = SPINS
) -> bytes:
    """The package as a compound file under that password."""

    def hashed(data: bytes) -> bytes:
        return hashlib.new(name.lower(), data).digest()

    stretched = hashed(SALT + password.encode("utf-16-le"))
    for spin in range(min(spins, SPINS)):
        stretched = hashed(struct.pack("<I", spin) + stretched)

    def sealed(block: str, data: bytes) -> str:
        key = hashed(stretched + bytes.fromhex(block))[: bits // 8].ljust(bits // 8, b"6")
        return base64.b64encode(_encrypt(key, data, SALT)).decode()

    secret, proof = bytes(range(bits // 8)), b"sixteen bytes it"
    info = XML.format(
        name=name, bits=bits, cipher=cipher, spins=spins, size=len(hashed(b"")), salt=base64.b64encode(SALT).decode(),
        input=sealed("fea7d2763b4b9e79", proof), value=sealed("d7aa0f6d3061344e", hashed(proof)),
        key=sealed("146e0be7abacd0d6", secret),
    )  # fmt: skip
    parts = (package[at : at + 4096] for at in range(0, len(package), 4096))
    locked = b"".join(
        _encrypt(secret, part, hashed(SALT + struct.pack("<I", at))[:16]) for at, part in enumerate(parts)
    )
    return _file(struct.pack("<HHI", 4, 4, 0x40) + info.encode(), package, locked)


def lock_standard(package: bytes, password: str, *, cipher: int = 0x660E) -> bytes:
    """The same with a key of 128 bits, as Office 2007 did."""

    def sha1(data: bytes) -> bytes:
        return hashlib.sha1(data, usedforsecurity=False).digest()

    stretched = sha1(SALT + password.encode("utf-16-le"))
    for spin in range(50_000):
        stretched = sha1(struct.pack("<I", spin) + stretched)
    final = sha1(stretched + bytes(4)).ljust(64, b"\0")
    key = sha1(bytes(byte ^ 0x36 for byte in final))[:16]
    proof = b"sixteen bytes it"
    header = struct.pack("<IIIIIIII", 0x24, 0, cipher, 0x8004, 128, 0x18, 0, 0) + "AES\0".encode("utf-16-le")
    verifier = struct.pack("<I", 16) + SALT + _encrypt(key, proof) + struct.pack("<I", 20)
    info = struct.pack("<HHII", 3, 2, 0x24, len(header)) + header + verifier + _encrypt(key, sha1(proof))
    return _file(info, package, _encrypt(key, package))


def _file(info: bytes, package: bytes, locked: bytes) -> bytes:
    return compound({("EncryptionInfo",): info, ("EncryptedPackage",): struct.pack("<Q", len(package)) + locked})


def _encrypt(key: bytes, data: bytes, start: bytes | None = None) -> bytes:
    mode = modes.CBC(start) if start is not None else modes.ECB()
    cipher = Cipher(algorithms.AES(key), mode).encryptor()
    return cipher.update(data.ljust(-(-len(data) // 16) * 16, b"\0")) + cipher.finalize()
