"""Mails: the body they show, and its other forms."""

from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from typing import Any, Final

from models.cdom.errors import Malformed
from models.extract.readers.sniffing.charset import decode_text
from models.extract.readers.stated.markup import state_markup
from models.extract.readers.stated.text import REPEATED, StatedText
from models.extract.readers.web.parse import decode_named

_SHOWN: Final = ("subject", "from", "to", "cc")


def state_eml(data: bytes) -> StatedText:
    """The HTML body where there is one, else the plain one; headers are told as people read them.

    Raises `Malformed` for a message whose parts are not what they say: where its body begins is a guess then.
    """
    message = _parse(data)
    if any(part.defects for part in message.walk()):
        raise Malformed("a mail with defects")
    plain: list[str] = []
    html: list[str] = []
    _sort(message, plain, html)
    stated = StatedText()
    for page in html:
        stated.add(state_markup(page))
    if any("".join(stated.text).split()):
        stated.allow(REPEATED, "".join(plain))
    else:
        stated = StatedText(text=plain)
    stated.formed += [_decoded(message.get(name)) for name in _SHOWN]
    return stated


def state_mhtml(data: bytes) -> StatedText:
    """The first page of a saved one."""
    for part in _parse(data).walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml"):
            return state_markup(_text_of(part))
    return state_eml(data)


def _parse(data: bytes) -> "Message[str, str]":
    """`email.message_from_bytes` would import its parser only now, where nothing can be imported any more."""
    return BytesParser().parsebytes(data)


def _sort(part: "Message[str, str]", plain: list[str], html: list[str]) -> None:
    """Bodies, without attached files and messages."""
    if part.get_content_maintype() == "message" or part.get_filename():
        return
    if part.is_multipart():
        inner: Any = part.get_payload()
        for one in inner:
            _sort(one, plain, html)
    elif part.get_content_disposition() != "attachment":
        if part.get_content_type() == "text/html":
            html.append(_text_of(part))
        elif part.get_content_type() == "text/plain":
            plain.append(_text_of(part))


def _text_of(part: "Message[str, str]") -> str:
    data: Any = part.get_payload(decode=True) or b""
    charset = str(part.get_param("charset") or "")
    named = decode_named(data, charset) if charset.lower() not in ("", "us-ascii", "ascii") else None
    return named if named is not None else decode_text(data)[0]


def _decoded(header: object) -> str:
    if "=?" not in str(header or ""):
        return str(header or "")
    try:
        return str(make_header(decode_header(str(header or ""))))
    except (LookupError, ValueError):
        return ""
