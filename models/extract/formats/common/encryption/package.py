"""An Office package under a password: the compound file and the password in, the package inside it out."""

import struct
from typing import Final

from models.cdom.errors import Encrypted, Malformed
from models.extract.formats.common.compound import CompoundFile
from models.extract.formats.common.encryption.agile import AgileLock
from models.extract.formats.common.encryption.standard import StandardLock

_AGILE: Final = (4, 4)
"""The version that names agile encryption, as the format numbers it."""
_STANDARD_MINOR: Final = 2
"""The lower half of the version that names standard encryption, as the format numbers it."""
_STANDARD_MAJORS: Final = (2, 3, 4)
"""The upper halves that Office has written with it."""


def unlock(data: bytes, password: str | None) -> bytes:
    """The package. Raises `Encrypted` (no password, a wrong one, a kind that is not read), `Malformed`."""
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
