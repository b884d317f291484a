"""Opens files that only wrap another: bytes in, the bytes of the wrapped file out."""

from typing import Final

from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.packed import is_packed, unpack
from quire.models.extract.formats.common.wrapped import PREVIEW, unwrap_signed

_ZIP: Final = b"PK\x03\x04"
_PREVIEW_NAME: Final = b"QuickLook/Preview.pdf"


def unwrap(data: bytes) -> bytes:
    """Return the content of a signed or packed file or the PDF preview of an iWork package; other files unchanged.

    Raises:
        UnsupportedFormat: The file is a signature apart from what it signs.
        Malformed: The package cannot be read.
        ResourceLimit: The file unpacks to too many bytes.
    """
    content = unwrap_signed(data)
    data = data if content is None else content
    if is_packed(data):
        data = unpack(data)
    if data.startswith(_ZIP) and _PREVIEW_NAME in data:
        package = Package(data)
        return package.read(PREVIEW) if package.has(PREVIEW) else data
    return data
