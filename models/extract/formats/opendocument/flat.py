"""OpenDocument in one file of XML: bytes in, what a package of it would give out. All parts are the one file."""

from typing import Final

from models.cdom.errors import ResourceLimit
from models.extract.formats.common.opc import MAX_PARAGRAPHS, MAX_TAGS, MAX_XML_BYTES, Package
from models.extract.formats.common.xml import Element, parse_xml

_PARTS: Final = frozenset({"content.xml", "styles.xml", "meta.xml"})


class FlatPackage:
    """The parts by name. Raises `ResourceLimit`, `Malformed`."""

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_XML_BYTES or data.count(b"<") > MAX_TAGS or data.count(b"<text:p") > MAX_PARAGRAPHS:
            raise ResourceLimit("a part is too large")
        self._data = data
        self._root: Element | None = None

    def has(self, name: str) -> bool:
        return name in _PARTS

    def names(self) -> list[str]:
        return sorted(_PARTS)

    def size(self, name: str) -> int:
        """Nothing beside the text is had: pictures lie among it."""
        return 0

    def read(self, name: str) -> bytes:
        return b""

    def xml(self, name: str) -> Element | None:
        """The root, parsed once, for whoever leaves it as it is."""
        if not self.has(name):
            return None
        self._root = parse_xml(self._data) if self._root is None else self._root
        return self._root

    def xml_again(self, name: str) -> Element | None:
        """The same for the caller alone, who may change it."""
        return parse_xml(self._data) if self.has(name) else None


def open_package(data: bytes) -> Package | FlatPackage:
    """The package, or the one file that stands for it."""
    return Package(data) if data.startswith(b"PK") else FlatPackage(data)
