"""Document properties: the core-properties part and the style sheet in, metadata out."""

from typing import Final

from models.cdom.tree import Metadata
from models.extract.formats.common.xml import Element, W

MAX_CHARS: Final = 1000
"""Characters of a title or an author that are kept; a longer one is no name."""
_DC: Final = "{http://purl.org/dc/elements/1.1/}"
_TERMS: Final = "{http://purl.org/dc/terms/}"


def read_metadata(core: Element | None, styles: Element | None) -> Metadata:
    """Stated properties; empty ones are null. The language may come from the styles' defaults."""
    language = styles.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang") if styles is not None else None
    return Metadata(
        title=_text(core, _DC + "title"),
        author=_text(core, _DC + "creator"),
        created=_text(core, _TERMS + "created"),
        modified=_text(core, _TERMS + "modified"),
        language=_text(core, _DC + "language") or (language.get(W + "val") if language is not None else None),
    )


def _text(core: Element | None, name: str) -> str | None:
    found = core.find(name) if core is not None else None
    text = "".join(found.itertext()).strip() if found is not None else ""
    return text[:MAX_CHARS] or None
