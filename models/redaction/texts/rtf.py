"""A redacted RTF file: its masked text as the reader saw it, in a new file with headings, lists and tables.

An RTF file hides text in more ways than a list could name (destinations, fields, objects, revisions), so no part of it
is copied: only the text that the reader saw stays.
"""

from collections.abc import Iterator

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import Block, BlockType, FlagSpan, Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions, active_spans
from quire.models.redaction.planning.folded import find_values, fold_text
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.planning.spelled import mask_places

_HEAD = r"{\rtf1\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0\fswiss Arial;}}"
_WIDTH = 9000
"""Twentieths of a point that a table is wide: a page without its margins."""
_LARGEST, _STEP, _PLAIN = 32, 4, 22
"""Half points of a heading of the first level, what each level takes off, and the size of text."""


def redact_rtf(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact an RTF file.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.
    """
    plan = plan_redaction(tree, decisions)
    writer = RtfWriter(plan, detector)
    shown = [block for block in tree.blocks if HIDDEN_TEXT not in block.flags]
    lines = [line for block in shown for line in writer.lines(block, active_spans(block, decisions))]
    return require_proof("\n".join((_HEAD, *lines, "}")).encode("ascii"), plan, reread)


class RtfWriter:
    """Writes blocks with masked stretches and further detected values replaced."""

    def __init__(self, plan: RedactionPlan, detector: Detector) -> None:
        self._plan, self._detector = plan, detector

    def lines(self, block: Block, active: list[FlagSpan]) -> Iterator[str]:
        """Yield the paragraph or the rows of a block."""
        if block.table is not None:
            yield from self._rows(block, active)
        elif block.text:
            text = self._text(block.text, [span for span in active if span.cell is None])
            if block.type is BlockType.HEADING:
                level = min(block.level or 1, 6)
                size = max(_PLAIN, _LARGEST - _STEP * (level - 1))
                yield rf"\pard\outlinelevel{level - 1}\b\fs{size} {text}\b0\fs{_PLAIN}\par"
            else:
                yield rf"\pard\fs{_PLAIN} {text}\par"

    def _rows(self, block: Block, active: list[FlagSpan]) -> Iterator[str]:
        cells = list(enumerate(block.table.cells if block.table is not None else ()))
        columns = max((cell.col + cell.col_span for _, cell in cells), default=1)
        edges = "".join(rf"\cellx{_WIDTH * (column + 1) // columns}" for column in range(columns))
        for row in sorted({cell.row for _, cell in cells}):
            texts = {
                cell.col: self._text(cell.text, [span for span in active if span.cell == number])
                for number, cell in cells
                if cell.row == row
            }
            content = "".join(rf"\pard\intbl {texts.get(column, '')}\cell" for column in range(columns))
            yield rf"\trowd{edges}{content}\row"

    def _text(self, text: str, active: list[FlagSpan]) -> str:
        gone = find_values(fold_text(text), self._plan, self._detector)
        gone |= {index for span in active for index in range(span.start, span.end)}
        return "".join(map(_escaped, mask_places(text, gone)))


def _escaped(char: str) -> str:
    if char in "\\{}":
        return f"\\{char}"
    if char == "\n":
        return r"\line "
    if char == "\t":
        return r"\tab "
    if " " <= char <= "~":
        return char
    if char < " ":
        return " "
    units = char.encode("utf-16-le")
    return "".join(
        rf"\u{int.from_bytes(units[index : index + 2], 'little', signed=True)}?" for index in range(0, len(units), 2)
    )
