"""Parts of a zip package for flowing formats: bytes of XML parts up to a limit, and pictures."""

from dataclasses import dataclass

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.extract.formats.common.opc import MAX_XML_BYTES, Package
from quire.models.extract.formats.common.xml import drop_external_type, to_transitional


def read_part_bytes(package: Package, name: str) -> bytes:
    """Return an XML part for reading as a stream.

    Raises:
        ResourceLimit: The part is too large.
        Malformed: The part declares a document type.
    """
    if package.size(name) > MAX_XML_BYTES:
        raise ResourceLimit("a part is too large")
    return _check_type(package.read(name))


def read_rows(package: Package, name: str, most: int) -> tuple[bytes, bool]:
    """Return a worksheet for reading as a stream, and whether rows after the first `most` values were left out.

    Raises:
        ResourceLimit: The part is too large and has no rows to leave out.
        Malformed: The part declares a document type.
    """
    parts: list[bytes] = []
    size = values = 0
    is_cut = False
    for part in package.chunks(name):
        parts.append(part)
        size, values = size + len(part), values + part.count(b"<v>") + part.count(b"<is>")
        is_cut = size > MAX_XML_BYTES or values > most
        if is_cut:
            break
    data = to_transitional(b"".join(parts))
    if not is_cut:
        return _check_type(data), False
    end = data.rfind(b"</row>")
    if end < 0:
        return read_part_bytes(package, name), False
    return _check_type(data[: end + len(b"</row>")]) + b"</sheetData></worksheet>", True


def _check_type(data: bytes) -> bytes:
    data = drop_external_type(data)
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
