"""A small body as a flat dict, whether it came as a form or as JSON. Files are no part of it."""

import json
from typing import Any

from fastapi import Request

from serve_apps.api.http.refusals import InvalidField


async def read_form(request: Request) -> dict[str, Any]:
    """Raises InvalidField for JSON that is no object."""
    if request.headers.get("content-type", "").startswith("application/json"):
        try:
            body = json.loads(await request.body())
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise InvalidField("body", "expected a JSON object")
        return body
    form = await request.form(max_files=0, max_fields=20, max_part_size=64 * 1024)
    return {name: value for name, value in form.items() if isinstance(value, str)}


def read_text(form: dict[str, Any], name: str, longest: int) -> str:
    """One field that must be there. Raises InvalidField."""
    value = form.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise InvalidField(name, f"a text of 1 to {longest} characters")
    return value.strip()
