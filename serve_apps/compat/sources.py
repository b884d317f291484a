"""Sources to convert: files of a form, or sources of a JSON body (addresses, base64)."""

import base64
import binascii
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from models.cdom.original import clean_name
from serve_apps.compat.options import InvalidOption


@dataclass(frozen=True, slots=True)
class ConvertSource:
    """A file, by its content or by the address from which the engine fetches it."""

    name: str
    file: IO[bytes] | None = None
    url: str | None = None

    @property
    def part(self) -> tuple[str, IO[bytes]]:
        """Return the file as a part of a form."""
        assert self.file is not None
        return self.name, self.file


def read_source_body(body: Mapping[str, Any]) -> tuple[list[ConvertSource], list[tuple[str, str]]]:
    """Read sources and options of a `convert/source` body, of this or an older docling-serve. Raises InvalidOption."""
    listed = [*_objects(body, "sources")]
    listed += [{"kind": "http", **one} for one in _objects(body, "http_sources")]
    listed += [{"kind": "file", **one} for one in _objects(body, "file_sources")]
    if not listed:
        raise InvalidOption("sources", "at least one source is needed")
    options = body.get("options") or {}
    if not isinstance(options, dict):
        raise InvalidOption("options", "expected an object")
    target = body.get("target") or {}
    fields = [(str(name), text) for name, value in options.items() for text in _texts(value)]
    if isinstance(target, dict) and isinstance(kind := target.get("kind"), str):
        fields.append(("target_type", kind))
    return [_source(one) for one in listed], fields


def _objects(body: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = body.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InvalidOption(name, "expected a list of objects")
    return found


def _source(one: dict[str, Any]) -> ConvertSource:
    kind = one.get("kind")
    if kind == "http" and isinstance(url := one.get("url"), str):
        if one.get("headers"):
            raise InvalidOption("sources", "headers for an address are not sent on")
        return ConvertSource(clean_name(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])), url=url)
    if kind == "file" and isinstance(text := one.get("base64_string"), str):
        try:
            content = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidOption("sources", "base64_string is no base64") from None
        return ConvertSource(clean_name(str(one.get("filename") or "file")), file=io.BytesIO(content))
    raise InvalidOption("sources", "a source is of kind http with a url, or of kind file with base64_string")


def _texts(value: Any) -> list[str]:
    """Return an option's value as form fields would carry it."""
    if value is None:
        return []
    if isinstance(value, list):
        return [str(one) for one in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]
