"""The names of HTML elements by what they are to a reader."""

from typing import Final

SKIPPED: Final = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "svg",
        "canvas",
        "iframe",
        "object",
        "embed",
        "applet",
        "audio",
        "video",
        "map",
        "select",
        "datalist",
        "rp",
        "rt",
        "frameset",
        "noframes",
    )
)
"""Never read: programs, drawings, frames, choices that are not shown, annotations of ruby."""
BLOCKS: Final = frozenset(
    (
        "html",
        "body",
        "div",
        "p",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "nav",
        "aside",
        "address",
        "blockquote",
        "center",
        "figure",
        "form",
        "fieldset",
        "legend",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "hgroup",
        "menu",
        "dir",
        "optgroup",
        "hr",
        "noembed",
        "marquee",
        "search",
    )
)
"""Their text stands in blocks of its own."""
BOLD: Final = frozenset(("b", "strong"))
"""Shown bold."""
ITALIC: Final = frozenset(("i", "em", "cite", "dfn", "var"))
"""Shown in italics."""
CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
"""Shown in a fixed width."""
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
"""Headings with their level."""
LISTS: Final = frozenset(("ul", "ol", "menu", "dir"))
"""Lists of items."""
