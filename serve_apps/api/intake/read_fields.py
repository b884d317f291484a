"""Form fields of an upload: reading options, metadata of the job and the schema of the values to extract."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quire.models.cdom.original import OcrMode, ReadOptions, TableParts
from quire.serve_apps.api.http.refusals import InvalidField
from quire.serve_apps.api.http.strict_json import InvalidJson, parse_object

EXTRACT_SCHEMA = "extract_schema"
"""Field with the JSON Schema of the values to extract."""
_MAX_SCHEMA_VALUES = 20_000  # JSON values of a schema
_RANGE = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")
_MAX_RANGES = 100  # ranges in `pages`
_MAX_PASSWORD = 1024  # characters; PDF allows 127
_MAX_METADATA_BYTES = 16 * 1024  # bytes of JSON stored with a job and returned with it


def read_options(fields: Mapping[str, str], defaults: ReadOptions) -> ReadOptions:
    """Return the deployment's defaults with the values of this request. Empty fields are ignored."""
    options = defaults
    if text := fields.get("pages", "").strip():
        options = replace(options, pages=_parse_pages(text))
    if text := fields.get("password", ""):
        options = replace(options, password=_check_password(text))
    if text := fields.get("ocr", "").strip():
        options = replace(options, ocr=_parse_ocr(text))
    if text := fields.get("table_parts", "").strip():
        options = replace(options, table_parts=_parse_table_parts(text))
    if text := fields.get("words", "").strip():
        options = replace(options, words=_parse_flag("words", text))
    return options


def read_metadata(fields: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the caller's JSON object about the job, or None. The service returns it unchanged later."""
    text = fields.get("metadata", "").strip()
    if not text:
        return None
    if len(text.encode()) > _MAX_METADATA_BYTES:
        raise InvalidField("metadata", f"at most {_MAX_METADATA_BYTES} bytes")
    try:
        return parse_object(text, storable=True)
    except InvalidJson as error:
        raise InvalidField("metadata", str(error)) from None


def read_extract_schema(fields: Mapping[str, str]) -> str | None:
    """Return the JSON text of the schema of the values to extract, or None."""
    text = fields.get(EXTRACT_SCHEMA, "").strip()
    if not text:
        return None
    try:
        parse_object(text, storable=True, most_values=_MAX_SCHEMA_VALUES)
    except InvalidJson as error:
        raise InvalidField(EXTRACT_SCHEMA, str(error)) from None
    return text


def _parse_pages(text: str) -> tuple[tuple[int, int], ...]:
    """Parse `1-3,8` into ((1, 3), (8, 8)), sorted and joined."""
    parts = text.split(",")
    if len(parts) > _MAX_RANGES:
        raise InvalidField("pages", f"at most {_MAX_RANGES} ranges")
    ranges = sorted(_parse_range(part.strip()) for part in parts)
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


def _parse_range(part: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(part)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise InvalidField("pages", "expected pages and ranges from 1, such as 1-3,8")
    return first, last


def _check_password(text: str) -> str:
    if len(text) > _MAX_PASSWORD or "\0" in text:
        raise InvalidField("password", f"at most {_MAX_PASSWORD} characters, none of them NUL")
    return text


def _parse_ocr(text: str) -> OcrMode:
    try:
        return OcrMode(text)
    except ValueError:
        raise InvalidField("ocr", "allowed are auto, always and never") from None


def _parse_flag(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise InvalidField(name, "allowed are true and false")
    return text == "true"


def _parse_table_parts(text: str) -> TableParts:
    try:
        return TableParts(text)
    except ValueError:
        raise InvalidField("table_parts", "allowed are joined and apart") from None
