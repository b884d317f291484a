"""Small pieces of HTML. Text of elements is escaped here, at the last step, and nowhere else."""

import html
import re
from typing import NewType

Markup = NewType("Markup", str)
"""HTML that is already escaped; a plain `str` never is."""

CONTENT_SECURITY_POLICY = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox"
"""For the response header. A meta element must not carry `sandbox` (CSP 3, 4.2): `META_POLICY` is the rest of it."""
META_POLICY = CONTENT_SECURITY_POLICY.removesuffix("; sandbox")

NOT_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(plane * 0x10000 + last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
"""Control characters, lone surrogates and non-characters: not allowed in an HTML document."""
HREF = re.compile(r"(?:https?://|mailto:|#)[^\s]", re.IGNORECASE)
INVISIBLE = re.compile("[\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")


def escape(text: str) -> Markup:
    """Escape text for an element or a quoted attribute."""
    return Markup(html.escape(NOT_TEXT.sub("\ufffd", text).replace("\r", "\n"), quote=True))


def element(name: str, /, *content: Markup, **attributes: str | int | None) -> Markup:
    """Return `<name …>content</name>`.

    Attributes that are None are left out. `_` in their names becomes `-`; a trailing one is removed (`class_`).
    """
    return Markup(f"{open_tag(name, **attributes)}{''.join(content)}</{name}>")


def open_tag(name: str, /, **attributes: str | int | None) -> Markup:
    """Return a start tag, or a void element."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>")


def safe_href(target: str | None) -> str | None:
    """Return the link target when it is http, https, mailto or a place on the page; else None.

    Characters that browsers skip are removed first, so that they cannot hide a scheme.
    """
    if target is None:
        return None
    bare = INVISIBLE.sub("", NOT_TEXT.sub("", target))
    return bare if HREF.match(bare) else None


def page(title: str, language: str, style: str, body: Markup) -> str:
    """Return a whole document around `body`, with a policy that forbids everything but styles and images."""
    head = Markup(
        open_tag("meta", charset="utf-8")
        + f'<meta http-equiv="Content-Security-Policy" content="{META_POLICY}">'
        + open_tag("meta", name="viewport", content="width=device-width, initial-scale=1")
        + element("title", escape(" ".join(title.split()) or "Document"))
        + f"<style>{style}</style>"
    )
    root = element("html", element("head", head), element("body", body), lang=language)
    return f"<!DOCTYPE html>\n{root}\n"
