"""Search hits as objects that notebooks show."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from quire_client import types


@dataclass(frozen=True)
class Hit:
    """A passage that matches. `highlights` are ranges of `snippet`; `raw` is the JSON with the boxes."""

    job_id: str
    document_id: str
    chunk_id: str
    source_file: str
    score: float
    text: str
    snippet: str
    pages: list[int]
    section_path: list[str]
    highlights: list[list[int]] = field(repr=False)
    raw: types.SearchHit = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: types.SearchHit) -> "Hit":
        """Return the hit of its JSON."""
        return cls(
            job_id=raw["job_id"],
            document_id=raw["document_id"],
            chunk_id=raw["chunk_id"],
            source_file=raw["source_file"],
            score=raw["score"],
            text=raw["text"],
            snippet=raw["snippet"],
            pages=raw["pages"],
            section_path=raw["section_path"],
            highlights=raw["highlights"],
            raw=raw,
        )

    def _repr_html_(self) -> str:
        parts, end = [], 0
        for start, stop in self.highlights:
            parts += [escape(self.snippet[end:start]), f"<mark>{escape(self.snippet[start:stop])}</mark>"]
            end = stop
        parts.append(escape(self.snippet[end:]))
        place = ", ".join([self.source_file, *([f"page {self.pages[0]}"] if self.pages else []), *self.section_path])
        return f"<p><b>{escape(place)}</b> <small>{self.score:.3f}</small><br>{''.join(parts)}</p>"


class Hits(list[Hit]):
    """Hits in the order of their score."""

    @classmethod
    def of(cls, raw: Iterable[types.SearchHit]) -> "Hits":
        """Return the hits of an answer."""
        return cls(Hit.of(hit) for hit in raw)

    def _repr_html_(self) -> str:
        return "".join(hit._repr_html_() for hit in self) or "<p>No hits.</p>"
