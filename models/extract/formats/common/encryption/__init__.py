"""Password-protected Office packages: agile and standard encryption of [MS-OFFCRYPTO]."""

from quire.models.extract.formats.common.encryption.package import unlock

__all__ = ["unlock"]
