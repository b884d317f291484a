"""The kinds of values that environment variables hold, and how one setting is declared.

In comes text from the environment; out come values, or a `ValueError` that settings.py turns into the variable's name.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict
from pydantic_settings import NoDecode


class OcrEngine(StrEnum):
    """OCR engines of the service."""

    RAPIDOCR = "rapidocr"
    TESSERACT = "tesseract"


class PiiEngine(StrEnum):
    """`patterns` is another word for `regex`."""

    REGEX = "regex"
    NAMES = "names"
    PRESIDIO = "presidio"

    @classmethod
    def _missing_(cls, value: object) -> "PiiEngine | None":
        return cls.REGEX if value == "patterns" else None


class SignUpPolicy(StrEnum):
    """Sign-up at the console: open to all, after an operator's approval, or closed."""

    OPEN = "open"
    APPROVED = "approved"
    CLOSED = "closed"


class Proxy(StrEnum):
    """`ray`: Ray's own proxy on loopback. `haproxy`: half the CPU time, but every caller looks local."""

    RAY = "ray"
    HAPROXY = "haproxy"


class ProxyNodes(StrEnum):
    """Machines of a cluster that listen on the HTTP port: all of them, or the head alone."""

    EVERY = "every"
    HEAD = "head"


def _flag(value: object) -> object:
    """Exactly 0 or 1: `false` or `off` would be guesses about what was meant."""
    if isinstance(value, bool):
        return value
    if value in ("0", "1"):
        return value == "1"
    raise ValueError("not 0 or 1")


def _names(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _pairs(value: object) -> object:
    if not isinstance(value, str):
        return value
    pairs = [part.strip().partition("=") for part in value.split(",") if part.strip()]
    if any(not name.strip() or not equals for name, equals, _ in pairs):
        raise ValueError("not name=value")
    return tuple((name.strip(), text.strip()) for name, _, text in pairs)


def _unset(value: object) -> object:
    """Treat an empty variable as unset."""
    return None if value == "" else value


def _embedder(value: object) -> object:
    if isinstance(value, str) and (value in ("minilm", "none") or value.startswith("/")):
        return value
    raise ValueError("not minilm, none or an absolute directory")


Flag = Annotated[bool, BeforeValidator(_flag)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)]
Pairs = Annotated[tuple[tuple[str, str], ...], NoDecode, BeforeValidator(_pairs)]
Languages = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[a-z]{2,3}(_[A-Za-z]+)?$")], ...],
    NoDecode,
    BeforeValidator(_names),
    Field(min_length=1),
]
Seconds = Annotated[tuple[Annotated[float, Field(ge=0, le=86400)], ...], NoDecode, BeforeValidator(_names)]
Text = Annotated[str | None, BeforeValidator(_unset)]
EmbedderSetting = Annotated[str, BeforeValidator(_embedder)]
MaybeCount = Annotated[int | None, BeforeValidator(_unset)]


def setting(default: Any, allowed: str, purpose: str, *, shown: str | None = None, **limits: Any) -> Any:
    """`shown` is the default as docs/settings.md writes it."""
    extra: JsonDict = {"allowed": allowed, "shown": shown if shown is not None else _shown(default)}
    return Field(default, description=purpose, json_schema_extra=extra, **limits)


def _shown(default: object) -> str:
    if default is None:
        return "unset"
    if isinstance(default, bool):
        return str(int(default))
    if isinstance(default, tuple):
        return ",".join(f"{item:g}" if isinstance(item, float) else str(item) for item in default) or "unset"
    return f"{default:g}" if isinstance(default, float) else str(default)
