"""File names of multipart parts: `filename*` of RFC 8187, and `filename` as browsers escape it."""

import re
from urllib.parse import unquote_to_bytes

_QUOTED = re.compile(rb'"(?:\\.|[^"\\])*"')
_EXTENDED = re.compile(rb";\s*filename\*\s*=\s*([^;]*)", re.IGNORECASE)
_VALUE = re.compile(rb"(utf-8|iso-8859-1)'[A-Za-z0-9-]*'((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-Fa-f]{2})+)", re.IGNORECASE)
_ESCAPED = {"%22": '"', "%0D": "\r", "%0A": "\n"}
"""The only escapes that the HTML standard defines for `filename`; a percent sign itself is sent unchanged."""
_ESCAPES = re.compile("|".join(_ESCAPED), re.IGNORECASE)


def find_file_name(disposition: bytes, plain: bytes | None) -> str | None:
    """Return the file name of a part, or None if the part is a form field.

    A well-formed `filename*` takes precedence over `filename`, as in RFC 6266.

    Args:
        disposition: Value of the Content-Disposition header.
        plain: Value of its parameter `filename`, unquoted; None if it has none.
    """
    extended = _EXTENDED.search(_QUOTED.sub(b'""', disposition))
    if extended is not None and (name := _decode_extended(extended[1].strip())) is not None:
        return name
    if plain is not None:
        return _ESCAPES.sub(lambda match: _ESCAPED[match[0].upper()], decode_text(plain))
    return None if extended is None else ""


def decode_text(raw: bytes) -> str:
    """Return the text of a header parameter, which is UTF-8 or else Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _decode_extended(value: bytes) -> str | None:
    """Decode an ext-value of RFC 8187; None if it is malformed."""
    match = _VALUE.fullmatch(value)
    try:
        return unquote_to_bytes(match[2]).decode(match[1].decode()) if match is not None else None
    except UnicodeDecodeError:
        return None
