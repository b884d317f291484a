"""What a file is, from its first bytes: never from its name. Bytes in, a `Format` out; nothing is opened or parsed."""

from models.cdom.errors import UnsupportedFormat
from models.cdom.original import Format

HEAD_BYTES = 4096
"""As many bytes as any rule here looks at."""

_PDF_HEADER_WITHIN = 1024
_ZIP = b"PK\x03\x04"
_DOCX_PARTS = (b"word/", b"[Content_Types].xml", b"_rels/.rels", b"docProps/")
_OTHER_PACKAGES = (b"xl/", b"ppt/", b"mimetype", b"META-INF/")

_MAGIC: tuple[tuple[bytes, Format], ...] = (
    (b"\x89PNG\r\n\x1a\n", Format.PNG),
    (b"\xff\xd8\xff", Format.JPEG),
    (b"GIF87a", Format.GIF),
    (b"GIF89a", Format.GIF),
    (b"II*\x00", Format.TIFF),
    (b"MM\x00*", Format.TIFF),
    (b"II+\x00", Format.TIFF),
    (b"MM\x00+", Format.TIFF),
    (b"BM", Format.BMP),
)


def sniff(head: bytes) -> Format:
    """The format of a file that starts with `head` (4 KiB are enough). Raises `UnsupportedFormat`."""
    for magic, found in _MAGIC:
        if head.startswith(magic):
            return found
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Format.WEBP
    if head.startswith(_ZIP):
        return _sniff_package(head[:HEAD_BYTES])
    if b"%PDF-" in head[: _PDF_HEADER_WITHIN + 5]:
        return Format.PDF
    raise UnsupportedFormat("no known signature in the first bytes")


def _sniff_package(head: bytes) -> Format:
    """A zip is a word-processing file when its first entries are a Word package's; the reader checks the rest."""
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if b"word/" in head or (name.startswith(_DOCX_PARTS) and not any(part in head for part in _OTHER_PACKAGES)):
        return Format.DOCX
    raise UnsupportedFormat("a zip archive that is no word-processing package")
