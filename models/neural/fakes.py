"""Stand-ins for models in tests: they keep every promise of the port, and answer from a script instead of weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quire.models.cdom.ports import PixelPage, RecognisedPage, Word


@dataclass(slots=True)
class ScriptedRecogniser:
    """Implements `RecognisePages`: page number → its lines, or `Page N` for a page not in the script.

    `seen` keeps the numbers of the pages asked for, in order; `failure` is raised instead of an answer while it is set.
    """

    script: Mapping[int, Sequence[str]] = field(default_factory=dict)
    rotation: int = 0
    failure: Exception | None = None
    seen: list[int] = field(default_factory=list)

    def warm_up(self) -> None:
        """Nothing to load; raises `failure`."""
        if self.failure is not None:
            raise self.failure

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Record the page numbers and return the scripted answers."""
        self.warm_up()
        self.seen.extend(page.number for page in pages)
        return [self._answer(page) for page in pages]

    def _answer(self, page: PixelPage) -> RecognisedPage:
        lines = self.script.get(page.number, (f"Page {page.number}",))
        words = tuple(word for number, line in enumerate(lines) for word in _line_words(line, number, page.width))
        return RecognisedPage(
            number=page.number, words=words, rotation=self.rotation, engine="scripted", model=None, version="1"
        )


def _line_words(line: str, number: int, width: float) -> list[Word]:
    """Words of equal pitch, 6 points a character, in lines 14 points apart."""
    top, x, words = 36.0 + 14.0 * number, 36.0, []
    for text in line.split():
        end = min(width, x + 6.0 * len(text))
        words.append(Word(text=text, bbox=(x, top, end, top + 11.0), confidence=0.9, line=number))
        x = end + 6.0
    return words
