"""Office packages under a password: [MS-OFFCRYPTO]'s agile and standard encryption."""

from models.extract.formats.common.encryption.package import unlock

__all__ = ["unlock"]
