"""Facts of an original: what its bytes are, how it is to be read. Plain data that storage, actors, readers share."""

import hashlib
import json
import unicodedata
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache

_LONGEST_NAME_BYTES = 255  # bytes of a name, as file systems have
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DROPPED = frozenset({"Cc", "Cs", "Zl", "Zp"})


class Format(StrEnum):
    """Format of an original, determined by content and never by file name."""

    PDF = "pdf"
    DOCX = "docx"
    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    BMP = "bmp"
    GIF = "gif"
    TIFF = "tiff"
    AVIF = "avif"
    JPEG2000 = "jpeg2000"
    HEIC = "heic"
    PPTX = "pptx"
    PPT = "ppt"
    XLSX = "xlsx"
    XLSB = "xlsb"
    XLS = "xls"
    DOC = "doc"
    RTF = "rtf"
    ODT = "odt"
    ODS = "ods"
    ODP = "odp"
    HWPX = "hwpx"
    EPUB = "epub"
    HTML = "html"
    MHTML = "mhtml"
    EML = "eml"
    MSG = "msg"
    MBOX = "mbox"
    TNEF = "tnef"
    JATS = "jats"
    SVG = "svg"
    CSV = "csv"
    MARKDOWN = "markdown"
    ASCIIDOC = "asciidoc"
    LATEX = "latex"
    ORG = "org"
    RST = "rst"
    TYPST = "typst"
    TXT = "txt"
    ZIP = "zip"
    TAR = "tar"


IMAGE_FORMATS = frozenset(
    {Format.PNG, Format.JPEG, Format.WEBP, Format.BMP, Format.GIF, Format.TIFF, Format.AVIF, Format.JPEG2000}
)


DRAWN_FORMATS = IMAGE_FORMATS | {Format.PDF}
"""Formats whose pages have a picture."""


SHEET_FORMATS = frozenset({Format.XLSX, Format.XLSB, Format.XLS, Format.ODS})
SHAPED_FORMATS = SHEET_FORMATS | {Format.PPTX, Format.PPT, Format.ODP}
"""Formats whose boxes are of shapes and cells, not of lines of type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A file inside a file, read as a separate document: `path` is its place in the outer file, `name` its name."""

    path: str
    name: str
    data: bytes


class OcrMode(StrEnum):
    """`auto`: pages without a usable text layer; `always`: every page; `never`: none."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class TableParts(StrEnum):
    """Tables that go on over pages: one table (`joined`), or one on each page that names the one before (`apart`)."""

    JOINED = "joined"
    APART = "apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options for reading a document. `pages` holds 1-based inclusive ranges, empty = all; `max_*` are counts.

    With `second_opinion`, a layout detector checks the pages whose tables are doubtful. With `words`, pages keep their
    words with boxes.
    """

    pages: tuple[tuple[int, int], ...] = ()
    password: str | None = None
    ocr: OcrMode = OcrMode.AUTO
    ocr_langs: tuple[str, ...] = ("en",)
    fast_mode: bool = True
    table_parts: TableParts = TableParts.JOINED
    second_opinion: bool = False
    words: bool = False
    max_pages: int = 2000
    max_text_chars: int = 20_000_000
    max_assets: int = 5000
    max_asset_bytes: int = 500_000_000
    max_image_pixels: int = 100_000_000
    max_cells: int = 1_000_000

    def digest(self) -> str:
        """SHA-256 (hex) over everything that can change the tree; the password cannot, once it opens the file."""
        return _digest(self if self.password is None else replace(self, password=None))


@lru_cache(maxsize=16)
def _digest(options: ReadOptions) -> str:
    """Hash the options without a password. Cached, because many documents share their options."""
    facts = asdict(options)
    for name in ("second_opinion", "words", "max_cells"):  # results of versions that did not know an option stay theirs
        if facts[name] == getattr(ReadOptions, name):
            del facts[name]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def parse_pages(text: str) -> tuple[tuple[int, int], ...]:
    """Parse `1-3,8` into ((1, 3), (8, 8)).

    Raises:
        ValueError: The text is no list of pages and ranges.
    """
    parts = [part.partition("-") for part in text.split(",")]
    try:
        ranges = tuple((int(first), int(last or first)) for first, _, last in parts)
    except ValueError:
        raise ValueError(f"{text!r} is not like 1-3,8") from None
    if any(not 1 <= first <= last for first, last in ranges):
        raise ValueError(f"{text!r}: pages count from 1 upwards")
    return ranges


def clean_name(sent: str) -> str:
    """Return a displayable file name: last path component, NFC, no control or direction characters, ≤ 255 bytes."""
    last = sent.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(c for c in last if unicodedata.category(c) not in _DROPPED and c not in _BIDI_CONTROLS)
    name = unicodedata.normalize("NFC", kept).strip().encode()[:_LONGEST_NAME_BYTES].decode(errors="ignore")
    return "unnamed" if name in {"", ".", ".."} else name
