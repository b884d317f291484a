"""The error of a schema that cannot be used, and the reasons why a value is missing."""

from enum import StrEnum


class SchemaRefused(Exception):
    """The JSON Schema cannot be used.

    `code` is stable, `path` a JSON pointer to the part of the schema, `detail` text for its author.
    """

    def __init__(self, code: str, path: str, detail: str) -> None:
        super().__init__(f"{path or '/'}: {detail}")
        self.code, self.path, self.detail = code, path, detail


class Missing(StrEnum):
    """Why a leaf of the schema has no value.

    `no-label`: no label, heading or column names it. `not-of-type`: what it labels is not of the leaf's type.
    `ambiguous`: several values fit equally well. `unverified`: the value does not stand at its place.
    """

    NO_LABEL = "no-label"
    NOT_OF_TYPE = "not-of-type"
    AMBIGUOUS = "ambiguous"
    UNVERIFIED = "unverified"


def pointer(*parts: str | int) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
