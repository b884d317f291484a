"""What an element's attributes say of how it is shown. Inline styles only: style sheets are not read."""

import re
from typing import Final

from models.extract.formats.common.xml import Element

_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_BOLD: Final = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC: Final = re.compile(r"font-style\s*:\s*(?:italic|oblique)", re.IGNORECASE)


def is_hidden(element: Element) -> bool:
    """True for an element that a browser does not show."""
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    style = element.get("style")
    return style is not None and _HIDDEN.search(style) is not None


def stated_emphasis(element: Element) -> tuple[bool, bool]:
    """Whether an inline style makes text bold, and italic."""
    style = element.get("style")
    if style is None:
        return False, False
    return _BOLD.search(style) is not None, _ITALIC.search(style) is not None
