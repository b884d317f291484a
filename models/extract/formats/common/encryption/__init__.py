"""Password-protected Office packages: agile and standard encryption of [MS-OFFCRYPTO]."""

from models.extract.formats.common.encryption.package import unlock

__all__ = ["unlock"]
