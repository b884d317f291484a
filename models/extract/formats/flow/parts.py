"""Parts of a zip package for flowing formats: bytes of XML parts up to a limit, and pictures."""

from dataclasses import dataclass

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.extract.formats.common.opc import MAX_XML_BYTES, Package
from quire.models.extract.formats.common.xml import drop_external_type


def read_part_bytes(package: Package, name: str) -> bytes:
    """Return an XML part for reading as a stream.

    Raises:
        ResourceLimit: The part is too large.
        Malformed: The part declares a document type.
    """
    if package.size(name) > MAX_XML_BYTES:
        raise ResourceLimit("a part is too large")
    data = drop_external_type(package.read(name))
    if b"<!DOCTYPE" in data or b"<!\0D\0" in data:
        raise Malformed("a part declares a document type")
    return data


@dataclass(frozen=True, slots=True)
class PartPictures:
    """Pictures of a package by the name of their part."""

    package: Package

    def size(self, name: str) -> int:
        """Return the size of a picture in bytes."""
        return self.package.size(name)

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture; empty when it does not exist."""
        return self.package.read(name)
