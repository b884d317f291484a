"""Pictures that a page contains: a source in, the name of an asset out. Nothing is fetched."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_to_bytes

ReadPicture = Callable[[str, str], str | None]
"""(source, alternative text) → name of an asset, None when there is nothing to show."""

_DATA: Final = re.compile(r"data:image/([a-zA-Z0-9.+-]+)((?:;[^,;]*)*),", re.ASCII)
_EXTENSIONS: Final = {"jpeg": "jpg", "svg+xml": "svg", "x-icon": "ico", "vnd.microsoft.icon": "ico"}
_SIGNATURES: Final = (
    (b"\x89PNG", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif"), (b"BM", "bmp"), (b"<svg", "svg"),
)  # fmt: skip
MAX_PICTURE_CHARS: Final = 64_000_000
"""Characters of one `data:` address."""


def no_picture(source: str, alt: str) -> str | None:
    """Ignore the picture."""
    return None


class PagePictures:
    """Pictures of a page, from `data:` addresses and from attached files (`parts` by name)."""

    def __init__(self, parts: Callable[[str], bytes | None] = lambda _: None) -> None:
        self._parts = parts
        self.held: dict[str, bytes] = {}
        self.warnings: list[str] = []

    def take(self, source: str, alt: str) -> str | None:
        """Store a picture and return its asset name; None when it is external or unreadable."""
        source = source.strip()
        if source[:5].lower() == "data:":
            return self._take_data(source)
        data = self._parts(source)
        if data is not None:
            name = _name_of(data, source.rpartition(".")[2] if "." in source[-6:] else "")
            self.held[name] = data
            return name
        if source:
            self.warnings.append("external-image")
        return None

    def _take_data(self, source: str) -> str | None:
        match = _DATA.match(source)
        if match is None or len(source) > MAX_PICTURE_CHARS:
            return None
        body = source[match.end() :]
        try:
            data = base64.b64decode(unquote_to_bytes(body)) if ";base64" in match.group(2) else unquote_to_bytes(body)
        except (binascii.Error, ValueError):
            self.warnings.append("picture-unreadable")
            return None
        kind = match.group(1).lower()
        name = _name_of(data, _EXTENSIONS.get(kind, kind))
        self.held[name] = data
        return name


def _name_of(data: bytes, extension: str) -> str:
    extension = next((kind for magic, kind in _SIGNATURES if data.startswith(magic)), extension)
    digest = hashlib.sha256(data).hexdigest()[:16]
    return f"{digest}.{extension}" if extension.isalnum() else digest
