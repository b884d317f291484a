"""Small bodies, sent as form or JSON, as a flat dict without files."""

from typing import Any

from fastapi import Request

from quire.serve_apps.api.http.refusals import InvalidField
from quire.serve_apps.api.http.strict_json import InvalidJson, is_storable, parse_object


async def read_form(request: Request) -> dict[str, Any]:
    """Return the fields of the body. Raises InvalidField for JSON other than an object, and for unstorable text."""
    if request.headers.get("content-type", "").startswith("application/json"):
        try:
            return parse_object(await request.body(), storable=True)
        except InvalidJson as error:
            raise InvalidField("body", str(error)) from None
    form = await request.form(max_files=0, max_fields=20, max_part_size=64 * 1024)
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    for name, value in fields.items():
        if not is_storable(value):
            raise InvalidField(name, "contains NUL or an unpaired surrogate")
    return fields


def read_text(form: dict[str, Any], name: str, longest: int) -> str:
    """Return a required text field. Raises InvalidField."""
    value = form.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise InvalidField(name, f"expected a text of 1 to {longest} characters")
    return value.strip()
