"""Templates and static files that dashboard and console share; addresses change with the content."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from starlette.responses import Response

from quire.models.cdom.flags import WARNINGS
from quire.serve_apps.viewer.sheet import show_table
from quire.serve_apps.viewer.words import ADVICE, FILTERS, format_duration

_HERE = Path(__file__).parent
TEMPLATES = _HERE / "templates"
STATIC = _HERE / "static"
TEMPLATE_FILTERS = FILTERS
_ICONS = {
    "sheet": "xlsx xlsb xls ods csv",
    "mail": "eml msg mbox tnef ics vcf",
    "image": "png jpeg webp bmp gif tiff avif jpeg2000 heic svg",
    "slides": "pptx ppt odp",
    "archive": "zip tar",
    "text": "docx doc rtf odt hwpx epub html mhtml markdown asciidoc latex org rst typst txt jats",
}
TEMPLATE_GLOBALS: Mapping[str, object] = {
    "duration": format_duration,
    "advice_by_code": ADVICE,
    "warning_texts": WARNINGS,
    "show_table": show_table,
    "type_icons": {name: icon for icon, names in _ICONS.items() for name in names.split()},
}
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class PageFiles:
    """Files of some folders, held in memory. A file of a later folder replaces an earlier one with the same name."""

    def __init__(self, *folders: Path) -> None:
        paths = [path for folder in folders for path in sorted(folder.iterdir()) if path.is_file()]
        self.content = {path.name: path.read_bytes() for path in paths}
        self.version = sha256(b"".join(self.content.values())).hexdigest()[:12]

    def answer(self, version: str, name: str) -> Response | None:
        """Return a file, or None if it does not exist. Browsers may cache it if the address contains its version."""
        if name not in self.content:
            return None
        cache_control = "public, max-age=31536000, immutable" if version == self.version else "no-cache"
        return Response(
            self.content[name], headers={"Cache-Control": cache_control}, media_type=_TYPES[name.rpartition(".")[2]]
        )
