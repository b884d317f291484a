"""Tree → tree with `pii:<kind>` flags, their spans, and the scan recorded on it.

A detector that raises leaves `complete` false. Scanned are block texts, table cells and link targets; metadata carries
no flags and is left out of redacted trees whole.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from quire.models.cdom.flags import PII_PREFIX, is_pii_flag
from quire.models.cdom.tree import Block, FlagSpan, PiiScan, Span, Tree
from quire.models.pii.flagging.joined import Field, Joined, JoinedPiece, fields_of, join_columns, join_loose, join_seams
from quire.models.pii.flagging.repeats import find_repeats, read_dates
from quire.models.pii.flagging.windows import CPU_S_PER_WINDOW, ScanBudget, ScanTooSlow, detect_all
from quire.models.pii.kinds import TORN, Detect, Detector, Kind
from quire.models.pii.normalise import normalise

log = logging.getLogger(__name__)

LEAST_TORN_SECRET = 12
"""Characters of the shortest key or password that table cells may hold in parts; `Pass` and `3` are none."""
_DIGIT = re.compile(r"[0-9]")
_DATE = re.compile(r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}")
_FIGURE = re.compile(r"[<>≤≥~*†‡+–-]{0,3} ?[0-9]{1,5}(?:[.,][0-9]{1,5})?(?: ?[-–] ?[0-9]{1,5}(?:[.,][0-9]{1,3})?)?")
_DECIMAL = re.compile(
    r"[*†‡+–-]{0,3} ?[0-9]{1,4}[.,][0-9]{1,5}(?: ?[-–] ?[0-9]{1,4}[.,][0-9]{1,5})?|[0-9]{1,4} [-–] [0-9]{1,4}"
)
_NEGATIVE = re.compile(r"[–-][0-9]{1,5}")
_SECTION = re.compile(r"(?:[0-9]{1,2}\.){2,}[0-9]{0,2}\.? [^\W\d_a-z]")
"""The number of a section before its heading."""
_GROUPS = {Kind.CREDIT_CARD: ((4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3)), Kind.SSN: ((3, 2, 4),)}
"""Lengths of the parts of numbers that forms print in three cells or more."""
_HALVES = 2  # cells that a number is torn into without a rule of its kind
Spans = dict[int, list[FlagSpan]]


def flag_tree(tree: Tree, detector: Detector) -> Tree:
    """Return the tree with new PII flags from `detector`; other flags stay. Deterministic."""
    try:
        spans = _find(tree.blocks, detector)
    except ScanTooSlow as error:
        log.warning("pii detector %s is over its budget: %s", detector.name, error)
        return unfinished(tree, detector.name, detector.version)
    except Exception as error:
        log.error("pii detector %s failed: %s", detector.name, type(error).__name__)  # its text may quote the document
        return unfinished(tree, detector.name, detector.version)
    blocks = tuple(_flagged(block, spans.get(number, [])) for number, block in enumerate(tree.blocks))
    return replace(tree, blocks=blocks, pii=PiiScan(engine=detector.name, version=detector.version, complete=True))


def unfinished(tree: Tree, engine: str, version: str) -> Tree:
    """Return the tree with a scan that did not finish: no redacted output is made of it."""
    return replace(tree, pii=PiiScan(engine=engine, version=version, complete=False))


def _find(blocks: tuple[Block, ...], detector: Detector) -> Spans:
    fields = fields_of(blocks)
    spans: Spans = defaultdict(list)
    loose = join_loose(fields)
    budget = ScanBudget(getattr(detector, "cpu_s_per_window", CPU_S_PER_WINDOW))
    for kind, pieces in _matches(loose, detector.detect, budget):
        if not _is_date(kind, pieces):
            _add(spans, kind, pieces)
    columns = join_columns(blocks)
    for kind, pieces in _matches(columns, detector.detect, budget) if columns.text else ():
        if not _is_date(kind, pieces) and not any(
            _covered(spans, piece, wholly=kind is Kind.DATE_OF_BIRTH) for piece in pieces
        ):
            _add(spans, kind, pieces)
    if len(fields) > 1:
        detect_torn: Detect = getattr(detector, "detect_torn", detector.detect)
        for kind, pieces in _matches(join_seams(fields), detect_torn, budget):
            if kind in TORN and len(pieces) > 1 and not _known(spans, kind, pieces) and not _are_figures(kind, pieces):
                _add(spans, kind, pieces)
    _find_in_links(blocks, detector, spans, budget)
    for number, span in list(find_repeats(blocks, spans)):
        spans[number].append(span)
    return spans


def _is_date(kind: Kind, pieces: list[JoinedPiece]) -> bool:
    """Return True for a phone number that is the date of a table cell."""
    return kind is Kind.PHONE and any(
        piece.field.cell is not None and any(read_dates(piece.field.text.strip())) for piece in pieces
    )


def _are_figures(kind: Kind, pieces: list[JoinedPiece]) -> bool:
    """Return True for table cells side by side that each hold a whole word or number."""
    if kind is Kind.SECRET:
        is_whole = all(piece.field.cell is not None and piece.end == len(piece.field.text) for piece in pieces[:-1])
        return is_whole and sum(piece.end - piece.start for piece in pieces) < LEAST_TORN_SECRET
    if kind is Kind.IP and any(_SECTION.match(piece.field.text) for piece in pieces):
        return True
    if kind not in (*_GROUPS, Kind.PHONE, Kind.IP, Kind.NATIONAL_ID) or any(
        piece.field.cell is None for piece in pieces
    ):
        return False
    if any(_DIGIT.search(piece.field.text[: piece.start] + piece.field.text[piece.end :]) for piece in pieces):
        return True
    texts = [piece.field.text.strip() for piece in pieces]
    if any(_DATE.fullmatch(text) for text in texts):
        return True
    if kind in _GROUPS:
        return len(texts) > _HALVES and tuple(map(len, texts)) not in _GROUPS[kind]
    is_signed = any(_NEGATIVE.fullmatch(text) for text in texts)
    return all(_FIGURE.fullmatch(text) for text in texts) and (is_signed or any(map(_DECIMAL.fullmatch, texts)))


def _matches(joined: Joined, detect: Detect, budget: ScanBudget) -> list[tuple[Kind, list[JoinedPiece]]]:
    copy = normalise(joined.text)
    hits = detect_all(copy.text, detect, budget)
    return [(hit.kind, list(joined.pieces(*copy.original_span(hit.start, hit.end)))) for hit in hits]


def _known(spans: Spans, kind: Kind, pieces: list[JoinedPiece]) -> bool:
    """Return True when the loose join has this value: it ends at a seam, spans two fields, or covers all parts."""
    flag = PII_PREFIX + kind
    return any(
        span.flag == flag and span.cell == piece.field.cell and span.start <= piece.start and span.end >= end
        for piece, end in zip(pieces, _ends(pieces), strict=True)
        for span in spans.get(piece.field.block, ())
    )


def _ends(pieces: list[JoinedPiece]) -> Iterator[int]:
    """Yield the end of each piece, excluding its full stop when the next piece begins a sentence."""
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        sentence = after is not None and after.field.text[after.start : after.start + 1].isupper()
        stop = sentence and piece.field.text[piece.end - 1 : piece.end] == "."
        yield piece.end - 1 if stop else piece.end


def _covered(spans: Spans, piece: JoinedPiece, *, wholly: bool) -> bool:
    """Return True when part of the piece, or all of it, is already flagged as personal data of any kind."""
    start, end = (piece.end - 1, piece.start + 1) if wholly else (piece.start, piece.end)
    return any(
        is_pii_flag(span.flag) and span.cell == piece.field.cell and span.start < end and span.end > start
        for span in spans.get(piece.field.block, ())
    )


def _add(spans: Spans, kind: Kind, pieces: list[JoinedPiece]) -> None:
    for piece in pieces:
        field: Field = piece.field
        spans[field.block].append(FlagSpan(flag=PII_PREFIX + kind, start=piece.start, end=piece.end, cell=field.cell))


def _find_in_links(blocks: tuple[Block, ...], detector: Detector, spans: Spans, budget: ScanBudget) -> None:
    """Flag the words of a link whose target is a person's address or number."""
    for number, block in enumerate(blocks):
        cells = block.table.cells if block.table is not None else ()
        placed: list[tuple[int | None, Span]] = [(None, span) for span in block.spans]
        placed += [(index, span) for index, cell in enumerate(cells) for span in cell.spans]
        for index, span in placed:
            target = (span.href or "").removeprefix("mailto:").removeprefix("tel:")
            if not target:
                continue
            kinds = {hit.kind for hit in detect_all(normalise(target).text, detector.detect, budget)} - {Kind.URL}
            spans[number] += [
                FlagSpan(flag=PII_PREFIX + kind, start=span.start, end=span.end, cell=index) for kind in sorted(kinds)
            ]


def _merge(spans: list[FlagSpan]) -> list[FlagSpan]:
    """Spans of one flag that overlap are one value."""
    merged: list[FlagSpan] = []
    for span in sorted(spans, key=lambda s: (s.flag, -1 if s.cell is None else s.cell, s.start, s.end)):
        last = merged[-1] if merged else None
        if last is not None and (last.flag, last.cell) == (span.flag, span.cell) and span.start < last.end:
            merged[-1] = replace(last, end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _flagged(block: Block, spans: list[FlagSpan]) -> Block:
    kept = tuple(flag for flag in block.flags if not is_pii_flag(flag))
    unique = sorted(_merge(spans), key=lambda s: (-1 if s.cell is None else s.cell, s.start, s.end, s.flag))
    others = tuple(span for span in block.flag_spans if not is_pii_flag(span.flag))
    flags = kept + tuple(sorted({span.flag for span in unique}))
    return replace(block, flags=flags, flag_spans=others + tuple(unique)) if unique or flags != block.flags else block
