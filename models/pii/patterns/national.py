"""Identity, tax, social-security and health numbers of each country behind their own words.

A number that passes the country's checksum is accepted within reach of its word. A number of the right form that fails
it, such as a misread one, is accepted directly next to the word, unless the word has other meanings.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns.clues import Clues
from quire.models.pii.patterns.labels import Labels
from quire.models.pii.patterns.pattern import AND

_SEPARATOR = r"(?:[ \n]?[./_–-]?[ \n]?)"
_SHAPE_PART = re.compile(r"(\[[^]]{1,20}\]|[A9X]|\\?.)(\{\d{1,3}(?:,\d{1,3})?\})?(\?)?")
_CLASSES = {"A": "[A-Z]", "9": "[0-9]", "X": "[A-Z0-9]"}
_INITIALS = re.compile(r"\.(?<=\b[^\W\d_]\.)")
_NOT_PART = re.compile(r"[^A-Z0-9&Ñ]")


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """One number of a country.

    `shapes` describe its characters: `A` a letter, `9` a digit, `X` either, with repeats as in a regular expression and
    alternatives parted by `|`. Separators may stand anywhere. `check` is a module of python-stdnum.
    """

    country: str
    labels: Labels
    shapes: str
    check: str | None = None
    ambiguous: bool = False
    kind: Kind = Kind.NATIONAL_ID

    def find(self, clues: Clues) -> Iterator[Hit]:
        """Yield the numbers of this kind in a text."""
        regex, behind = _regex(self.shapes), 0
        for place in self.labels.starts(clues):
            match = regex.match(clues.text, place) if place >= behind else None
            while match is not None and self._accepts(clues, *match.span(), listed=bool(behind) and place < behind):
                yield Hit(self.kind, *match.span())
                behind = match.end()
                gap = AND.match(clues.text, behind)
                match = regex.match(clues.text, gap.end()) if gap is not None else None

    def _accepts(self, clues: Clues, start: int, end: int, *, listed: bool) -> bool:
        value = clues.text[start:end]
        valid = self.check is not None and is_valid(self.check, value)
        if listed:
            return valid or not self.ambiguous
        if valid and "\n" not in value:
            return self.labels.is_named(clues, start, end)
        return (valid or not self.ambiguous) and self.labels.is_close(clues, start, end)


@cache
def _regex(shapes: str) -> re.Pattern[str]:
    alternatives = list[str]()
    for shape in shapes.split("|"):
        parts, required = list[str](), False
        for characters, repeat, optional in _SHAPE_PART.findall(shape):
            one = _CLASSES.get(characters, characters)
            times = re.fullmatch(r"\{(\d+)(?:,(\d+))?\}", repeat)
            least, most = (int(times[1]), int(times[2] or times[1])) if times else (1, 1)
            piece = _SEPARATOR.join([one] * least) + f"(?:{_SEPARATOR}{one}){{0,{most - least}}}" * (most > least)
            if optional:
                parts.append(f"(?:{_SEPARATOR}{piece})?" if parts else f"(?:{piece}{_SEPARATOR})?")
            else:
                parts.append((_SEPARATOR if required else "") + piece)
                required = True
        alternatives.append("".join(parts))
    return re.compile(rf"(?i)(?<![A-Z0-9])(?:{'|'.join(alternatives)})(?![A-Z0-9]|[.,][0-9])")


@cache
def _module(name: str) -> ModuleType:
    return import_module(f"stdnum.{name}")


def is_valid(name: str, value: str) -> bool:
    """Return whether the number passes the check of this module of python-stdnum."""
    compact = _NOT_PART.sub("", value.upper())
    module = _module(name)
    for candidate in (compact, value):
        try:
            if module.is_valid(candidate):
                return True
        except (ValueError, KeyError, IndexError):
            continue
    return False


def _read_row(line: str) -> NationalNumber:
    """Read a row of `national.tsv`: country, shapes, module of python-stdnum, `ambiguous` or a kind, and words."""
    country, shapes, check, note, words = line.split("\t")
    is_ambiguous = note == "ambiguous"
    kind = Kind(note) if note and not is_ambiguous else Kind.NATIONAL_ID
    return NationalNumber(country, Labels(*words.split("|")), shapes, check or None, is_ambiguous, kind)


_TABLE = Path(__file__).with_name("national.tsv").read_text(encoding="utf-8")
NATIONAL_NUMBERS: tuple[NationalNumber, ...] = tuple(map(_read_row, _TABLE.splitlines()[1:]))


def _rows_by_head() -> dict[str, list[NationalNumber]]:
    rows: dict[str, list[NationalNumber]] = {}
    for row in NATIONAL_NUMBERS:
        for head in row.labels.heads:
            rows.setdefault(head, []).append(row)
    return rows


_ROWS = _rows_by_head()
_DOTTED = tuple((stem, row) for row in NATIONAL_NUMBERS for stem in row.labels.stems)
_UNSPACED_ROWS = tuple(row for row in NATIONAL_NUMBERS if row.labels.unspaced)


def find_national(clues: Clues) -> Iterator[Hit]:
    """Yield the national numbers of a text. A text without any of their words costs one comparison of sets."""
    for row in find_named(clues):
        yield from row.find(clues)


def find_named(clues: Clues) -> Iterable[NationalNumber]:
    """Return the numbers whose words may be in a text."""
    found = dict[int, NationalNumber]()
    for head in (clues.tokens | clues.initials.keys()) & _ROWS.keys():
        found.update((id(row), row) for row in _ROWS[head])
    if _INITIALS.search(clues.lower):
        found.update((id(row), row) for stem, row in _DOTTED if stem in clues.lower)
    if clues.is_unspaced:
        found.update((id(row), row) for row in _UNSPACED_ROWS)
    return found.values()


def load_checks() -> None:
    """Import the checks of all numbers, for a process that cannot open files later."""
    for number in NATIONAL_NUMBERS:
        if number.check is not None:
            _module(number.check)
