"""Principals as query parameters, form fields and bodies: names of users and groups, such as `group:sales`."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from quire.serve_apps.access.caller import MAX_PRINCIPALS
from quire.serve_apps.api.http.refusals import InvalidField

MAX_PRINCIPAL = 200  # characters of a name
PATTERN = r"^[^\x00-\x1f,]+$"
Principal = Annotated[str, Field(min_length=1, max_length=MAX_PRINCIPAL, pattern=PATTERN)]
Principals = Annotated[list[Principal], Field(max_length=MAX_PRINCIPALS)]
AskedPrincipals = Annotated[
    list[Principal] | None,
    Query(
        max_length=MAX_PRINCIPALS,
        description="Repeated. Users and groups that the caller acts for. Other restricted documents are not found.",
    ),
]
GivenPrincipals = Annotated[
    list[Principal] | None,
    Query(
        max_length=MAX_PRINCIPALS,
        description="Repeated. Users and groups that may find the document. The default is all callers.",
    ),
]


def read_principals(text: str) -> tuple[str, ...] | None:
    """Return the names of a form field, separated by commas; None for an empty field. Raises `InvalidField`."""
    if not text.strip():
        return None
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    if len(names) > MAX_PRINCIPALS or any(len(name) > MAX_PRINCIPAL for name in names):
        raise InvalidField("principals", f"at most {MAX_PRINCIPALS} names of at most {MAX_PRINCIPAL} characters")
    if any(character < " " for name in names for character in name):
        raise InvalidField("principals", "names hold no control characters")
    return names
