"""Sources to convert: files of a form, or sources of a JSON body (addresses, base64)."""

import base64
import binascii
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from quire.models.cdom.original import clean_name
from quire.serve_apps.compat.options import InvalidOption


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
    listed += [{"kind": "http", **source} for source in _objects(body, "http_sources")]
    listed += [{"kind": "file", **source} for source in _objects(body, "file_sources")]
    if not listed:
        raise InvalidOption("sources", "at least one source is required")
    options = body.get("options") or {}
    if not isinstance(options, dict):
        raise InvalidOption("options", "expected an object")
    target = body.get("target") or {}
    fields = [(str(name), text) for name, value in options.items() for text in _texts(value)]
    if isinstance(target, dict) and isinstance(kind := target.get("kind"), str):
        fields.append(("target_type", kind))
    return [_source(source) for source in listed], fields


def _objects(body: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    objects = body.get(name) or []
    if not isinstance(objects, list) or not all(isinstance(item, dict) for item in objects):
        raise InvalidOption(name, "expected a list of objects")
    return objects


def _source(source: dict[str, Any]) -> ConvertSource:
    kind = source.get("kind")
    if kind == "http" and isinstance(url := source.get("url"), str):
        if source.get("headers"):
            raise InvalidOption("sources", "headers of a source are not supported")
        return ConvertSource(clean_name(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2])), url=url)
    if kind == "file" and isinstance(text := source.get("base64_string"), str):
        try:
            content = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidOption("sources", "base64_string is not valid base64") from None
        return ConvertSource(clean_name(str(source.get("filename") or "file")), file=io.BytesIO(content))
    raise InvalidOption("sources", "a source needs kind http with url, or kind file with base64_string")


def _texts(value: Any) -> list[str]:
    """Return an option's value as form fields would carry it."""
    if value is None:
        return []
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(value).lower() if isinstance(value, bool) else str(value)]
