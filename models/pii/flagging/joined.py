"""The texts of a tree joined in reading order, so that a value broken over cells, blocks or pages is one match.

`join_loose` puts a line break between texts (numbers may continue over it), `join_columns` a column's heading before
each of its cells. `join_seams` looks at the seams alone: the end of a text and the beginning of the next with nothing
between, a hyphen dropped (an address or key torn in two becomes whole again). Offsets map back to (block, cell) pieces.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.tree import ATTACHMENT, Block
from quire.models.pii.normalise import normalise
from quire.models.pii.patterns.clues import Clues
from quire.models.pii.patterns.context import BIRTH, PAPERS, PASSPORT, SOCIAL
from quire.models.pii.patterns.national import find_named

REACH = 160
"""Characters on either side of a seam that are looked at."""
LONGEST_HEADING = 60
"""Maximum characters of a column heading."""
LEAST_TURNED = 2
"""Cells of the first column that name values, from which a table has headings of rows."""
HEADINGS = (
    "birth", "born", "dob", "d.o.b", "naissance", "geboren", "geburt", "nacimiento", "nascita", "nascimento",
    "geboorte",
    "ssn", "social security", "passport", "passeport", "reisepass", "pasaporte", "passaporto", "paspoort", "passaporte",
    "phone", "tel", "mobil", "cell", "handy", "fax", "national", "insurance", "personnummer", "cpr", "cpf", "nif",
    "bsn", "pesel", "steuer", "codice fiscale", "nir", "dni", "nie", "ahv", "nhs", "nino", "plate", "immatriculation",
    "kennzeichen", "matrícula", "targa", "kenteken", "password", "passwort",
)  # fmt: skip
"""Parts of headings that name the content of their column."""
_HYPHENS = ("-", "\u00ad", "\u2010")
_POINTS = ".,;:!?()\"'“”’"
_GROUPED = re.compile(r"(?m)^(?:[0-9]{3}(?:,[0-9]{3}){2}|[0-9]{1,3}(?:,[0-9]{3}){3,4})$")
"""Numbers of persons that a sheet shows as amounts."""
_FIRST_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Field:
    """One text of a tree: of block number `block`, or of its table's cell number `cell`."""

    block: int
    cell: int | None
    text: str


@dataclass(frozen=True, slots=True)
class JoinedPiece:
    """`text[start:end]` of one field."""

    field: Field
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Joined:
    """`starts[i]` is where the part `parts[i]` begins in `text`; parts do not overlap there."""

    text: str
    parts: tuple[JoinedPiece, ...]
    starts: tuple[int, ...]

    def pieces(self, start: int, end: int) -> Iterator[JoinedPiece]:
        """Yield the parts of fields under `text[start:end]`, in order; separators belong to no field."""
        index = max(0, bisect_right(self.starts, start) - 1)
        while index < len(self.parts) and self.starts[index] < end:
            part, begin = self.parts[index], self.starts[index] - self.parts[index].start
            first, last = max(start - begin, part.start), min(end - begin, part.end)
            if first < last:
                yield JoinedPiece(part.field, first, last)
            index += 1


def fields_of(blocks: tuple[Block, ...]) -> list[Field]:
    """Return the texts of all blocks and cells.

    Hidden text, comments and names of attached files come last, so that they do not split running text.
    """
    fields = list[Field]()
    for number, block in enumerate(blocks):
        if block.text:
            fields.append(Field(number, None, block.text))
        if block.table is not None:
            fields += [Field(number, index, cell.text) for index, cell in enumerate(block.table.cells) if cell.text]
    return sorted(fields, key=lambda field: _is_apart(blocks[field.block]))


def _is_apart(block: Block) -> bool:
    path = block.provenance.path or ""
    return HIDDEN_TEXT in block.flags or COMMENT in block.flags or path.startswith(ATTACHMENT)


def join_loose(fields: list[Field]) -> Joined:
    """Texts with a line break between them."""
    return _join([[JoinedPiece(field, 0, len(field.text))] for field in fields])


def join_seams(fields: list[Field]) -> Joined:
    """Join the fields at each seam where a word could continue; a short word between two seams joins both."""
    return _join([line for index in range(len(fields) - 1) for line in _seams(fields[index : index + 3])])


def join_columns(blocks: tuple[Block, ...]) -> Joined:
    """Return each cell below its column heading: the word that names a value may be far above it.

    The heading is the nearest cell above that names values, so titles above the headings are passed over. Tables with
    such cells in their first column have headings of rows too.
    """
    lines: list[list[JoinedPiece]] = []
    for number, block in enumerate(blocks):
        headings, rows = dict[int, JoinedPiece](), dict[int, JoinedPiece]()
        cells = block.table.cells if block.table is not None else ()
        is_turned = sum(cell.col == 0 and _names_values(cell.text) for cell in cells) >= LEAST_TURNED
        for index, cell in enumerate(cells):
            piece = JoinedPiece(Field(number, index, cell.text), 0, len(cell.text))
            if _names_values(cell.text):
                headings[cell.col] = piece
                if is_turned and cell.col == 0:
                    rows[cell.row] = piece
            elif cell.text:
                above, left = headings.get(cell.col), rows.get(cell.row)
                lines += [part for heading in (above, left) if heading is not None for part in ([heading], [piece])]
    joined = _join(lines)
    return replace(joined, text=_GROUPED.sub(lambda match: match[0].replace(",", " "), joined.text))


@lru_cache(maxsize=4096)
def _names_values(text: str) -> bool:
    """Return whether a cell is a heading that names the content of its column, in any language of the labels."""
    if not 0 < len(text) <= LONGEST_HEADING or any(map(str.isdigit, text)):
        return False
    plain, clues = text.casefold(), Clues(normalise(text).text)
    return (
        any(hint in plain for hint in HEADINGS)
        or any(labels.places(clues) for labels in (BIRTH, PASSPORT, SOCIAL, PAPERS))
        or any(row.labels.places(clues) for row in find_named(clues))
    )


def _seams(fields: list[Field]) -> Iterator[list[JoinedPiece]]:
    """Yield the pieces that meet after the first field, when text could continue there."""
    left, right, *third = fields
    after = _FIRST_WORD.match(right.text)
    if after is None or not _may_go_on(left, right):
        return
    end = len(left.text) - left.text.endswith(_HYPHENS)
    meeting = [JoinedPiece(left, max(0, end - REACH), end), JoinedPiece(right, 0, min(len(right.text), REACH))]
    yield meeting
    if third and after.end() == len(right.text) <= REACH and _may_go_on(right, third[0]):
        yield [*meeting, JoinedPiece(third[0], 0, min(len(third[0].text), REACH))]


def _may_go_on(left: Field, right: Field) -> bool:
    """Plain words do not hide anything that is torn; capitals could be a key."""
    after = _FIRST_WORD.match(right.text)
    if after is None or left.text[-1].isspace():
        return False
    last, first = left.text.rsplit(None, 1)[-1].rstrip(_POINTS), after.group().strip(_POINTS)
    return not (_is_word(last) and _is_word(first)) or (last.isupper() and first.isupper())


def _is_word(text: str) -> bool:
    return text == "" or text.isalpha()


def _join(lines: list[list[JoinedPiece]]) -> Joined:
    """Pieces of a line with nothing between, lines with a line break."""
    texts, starts, length = [], [], 0
    for line in lines:
        for piece in line:
            texts.append(piece.field.text[piece.start : piece.end])
            starts.append(length)
            length += piece.end - piece.start
        texts.append("\n")
        length += 1
    return Joined("".join(texts), tuple(piece for line in lines for piece in line), tuple(starts))
