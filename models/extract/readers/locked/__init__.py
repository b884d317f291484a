"""Office packages under a password: [MS-OFFCRYPTO]'s agile and standard encryption."""

from models.extract.readers.locked.package import unlock

__all__ = ["unlock"]
