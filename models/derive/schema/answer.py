"""The answer to an extraction by schema, the body of `POST /v1/extract`, and the refusal of a schema."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockId


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
    `ambiguous`: several values fit equally well. `unverified`: the value does not stand at its place. `no-column`: the
    table of the rows has no column for it. `no-rows`: no table or list holds such rows. `not-supported`: arrays in
    arrays in arrays are not read. `several-disagree`: one label has different values at several places, or a language
    model that was asked does not confirm a doubtful value.
    """

    NO_LABEL = "no-label"
    NOT_OF_TYPE = "not-of-type"
    AMBIGUOUS = "ambiguous"
    UNVERIFIED = "unverified"
    NO_COLUMN = "no-column"
    NO_ROWS = "no-rows"
    NOT_SUPPORTED = "not-supported"
    SEVERAL_DISAGREE = "several-disagree"


def pointer(*parts: str | int) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


class How(StrEnum):
    """The rule that found a value; a language model that referred to it, or a person who corrected it."""

    PAIR = "pair"
    TABLE = "table"
    LINE = "line"
    LETTERHEAD = "letterhead"
    PROSE = "prose"
    SUMS = "sums"
    HEADING = "heading"
    LIST = "list"
    MODEL = "model"
    CORRECTED = "corrected"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePlace:
    """Place of a value: `start` and `end` are offsets in the block's text, or in the text of its cell `cell`.

    `page` is 1-based; `bbox` is the box of its words if the tree has them, else of the cell or block.
    """

    block_id: BlockId
    page: int
    bbox: Bbox | None
    cell: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafEvidence:
    """Evidence of one value: the text at its places, and the chance (0..1) that the value is right.

    A value that the schema states (`how` is `default`) has no place.
    """

    places: tuple[ValuePlace, ...]
    verbatim: str
    confidence: float
    how: How


class ModelProblem(StrEnum):
    """Why the language model's answer is not used: it does not answer, or not in the form that was asked for."""

    UNAVAILABLE = "model-unavailable"
    FAILED = "model-failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """Work of a language model for an answer.

    `sent_characters` of the document's text and the schema's words were sent in `requests` requests, with personal data
    hidden if `redacted`. `complete` is false where not all of the document fitted. With a `problem` rules alone answer.
    """

    name: str
    requests: int
    sent_characters: int
    redacted: bool
    complete: bool
    problem: ModelProblem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedData:
    """Values by the caller's schema.

    `evidence` and `missing` are keyed by JSON pointers into `data`. A leaf without a value is null in `data` if the
    schema allows null or requires the leaf, and absent otherwise. `valid` says whether `data` validates against the
    schema: only values that it requires can be wanting. `model` is null if nothing was sent to a language model.
    """

    data: dict[str, Any]
    evidence: dict[str, LeafEvidence] = field(default_factory=dict)
    missing: dict[str, Missing] = field(default_factory=dict)
    valid: bool = True
    model: ModelUse | None = None
