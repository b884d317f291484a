"""Extracted values with the evidence of each as an object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from quire_client.documents.table import Box, box_of

M = TypeVar("M")
Made = TypeVar("Made", covariant=True)
Path = str | tuple[str | int, ...]
"""A JSON pointer such as `/lines/0/amount`, the name of a value of the top, or `("lines", 0, "amount")`."""


class ModelClass(Protocol[Made]):
    """A Pydantic class: it states its JSON Schema and makes an instance of data."""

    def model_json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""

    def model_validate(self, obj: Any) -> Made:
        """Return an instance, or raise a validation error."""


@dataclass(frozen=True)
class Place:
    """One place of a value: `start` and `end` are offsets in the text of the block, or of its cell number `cell`."""

    block_id: str
    page: int
    bbox: Box | None
    cell: int | None
    start: int
    end: int


@dataclass(frozen=True)
class Evidence:
    """The text of one value, its places, the rule that found it and the chance (0..1) that it is right."""

    text: str
    confidence: float
    how: str
    places: list[Place] = field(repr=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Evidence":
        """Return the evidence of its JSON."""
        places = [
            Place(place["block_id"], place["page"], box_of(place), place.get("cell"), place["start"], place["end"])
            for place in raw["places"]
        ]
        return cls(raw["verbatim"], raw["confidence"], raw["how"], places)

    @property
    def page(self) -> int | None:
        """Page of the first place, from 1; None for a value that the schema states."""
        return self.places[0].page if self.places else None

    @property
    def bbox(self) -> Box | None:
        """Box around the places on `page` in points; None where the format has no boxes."""
        boxes = [place.bbox for place in self.places if place.page == self.page and place.bbox is not None]
        if not boxes:
            return None
        x0, y0, x1, y1 = zip(*boxes, strict=True)
        return min(x0), min(y0), max(x1), max(y1)


class EvidenceByPath(Mapping[str, Evidence]):
    """Evidence by JSON pointer, as the keys are; `evidence["total"]` and `evidence["lines", 0, "amount"]` work too."""

    def __init__(self, raw: Mapping[str, Mapping[str, Any]]) -> None:
        self._raw = raw

    def __getitem__(self, path: Path) -> Evidence:
        return Evidence.of(self._raw[_pointer(path)])

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str | tuple) and _pointer(path) in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True)
class Values(Generic[M]):
    """Values by a schema.

    `data` is an instance of the Pydantic class that was given, or a dict. `evidence` has the text and the places of
    each value; `missing` has the reason for each value that was not found, by JSON pointer. `raw` is the whole answer.
    """

    data: M
    evidence: EvidenceByPath
    missing: Mapping[str, str]
    valid: bool
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any], model: ModelClass[M] | None = None) -> "Values[M]":
        """Return the values of an answer, of `get_extracted` for example. Raises the validation error of the class."""
        data = raw["data"] if model is None else model.model_validate(raw["data"])
        evidence = EvidenceByPath(raw.get("evidence", {}))
        return cls(data, evidence, raw.get("missing", {}), raw.get("valid", True), raw)


def _pointer(path: Path) -> str:
    """Return the JSON pointer of a path."""
    if isinstance(path, str) and (not path or path.startswith("/")):
        return path
    parts = (path,) if isinstance(path, str) else path
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
