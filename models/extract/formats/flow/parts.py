"""Parts of a zip package for readers that flow: bytes of XML parts under a bound, and its pictures."""

from dataclasses import dataclass

from models.cdom.errors import Malformed, ResourceLimit
from models.extract.formats.common.opc import MAX_XML_BYTES, Package
from models.extract.formats.common.xml import drop_external_type


def read_part_bytes(package: Package, name: str) -> bytes:
    """An XML part that is read as a stream. Raises `ResourceLimit` (size) or `Malformed` (a document type)."""
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
        return self.package.size(name)

    def read(self, name: str) -> bytes:
        return self.package.read(name)
