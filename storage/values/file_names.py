"""Cleaning of file names that clients and sources send."""

import unicodedata

_LONGEST_NAME_BYTES = 255  # bytes of a name, as file systems have
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DROPPED = frozenset({"Cc", "Cs", "Zl", "Zp"})


def clean_name(sent: str) -> str:
    """Return a displayable name: last path component, NFC, no control or direction characters, at most 255 bytes."""
    last = sent.replace("\\", "/").rsplit("/", 1)[-1]
    printable = "".join(c for c in last if unicodedata.category(c) not in _DROPPED and c not in _BIDI_CONTROLS)
    name = unicodedata.normalize("NFC", printable).strip().encode()[:_LONGEST_NAME_BYTES].decode(errors="ignore")
    return "unnamed" if name in {"", ".", ".."} else name
