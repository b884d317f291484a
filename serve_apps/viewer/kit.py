"""Templates and files that both doors for people share, and serving files under an address that changes with them."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from starlette.responses import Response

from serve_apps.viewer.words import FILTERS, tell_duration

_HERE = Path(__file__).parent
TEMPLATES = _HERE / "templates"
STATIC = _HERE / "static"
TEMPLATE_FILTERS = FILTERS
TEMPLATE_GLOBALS: Mapping[str, object] = {"duration": tell_duration}
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class PageFiles:
    """The files of some folders, kept in memory. A later folder's file replaces an earlier one of the same name."""

    def __init__(self, *folders: Path) -> None:
        paths = [path for folder in folders for path in sorted(folder.iterdir()) if path.is_file()]
        self.content = {path.name: path.read_bytes() for path in paths}
        self.version = sha256(b"".join(self.content.values())).hexdigest()[:12]

    def answer(self, version: str, name: str) -> Response | None:
        """Return a file, or None if it does not exist. Browsers may cache it if the address contains its version."""
        if name not in self.content:
            return None
        kept = "public, max-age=31536000, immutable" if version == self.version else "no-cache"
        return Response(self.content[name], headers={"Cache-Control": kept}, media_type=_TYPES[name.rpartition(".")[2]])
