"""Finds typed objects in a tree (sections, tables, dates, money, people …), each with the blocks that show it.

The kinds found here need no model and are always there. Tree in, frozen objects out; deterministic.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from quire.models.cdom.tree import Block, BlockId, BlockType, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.fields.letterhead import LEGAL_FORM
from quire.models.derive.fields.values import (
    EMAIL,
    PHONE,
    URL,
    VAT_ID,
    find_amounts,
    find_currency,
    find_dates,
    find_ibans,
)


class ObjectType(StrEnum):
    """Type of a semantic object."""

    SECTION = "section"
    TABLE = "table"
    FIGURE = "figure"
    LIST = "list"
    DEFINITION = "definition"
    REFERENCE = "reference"
    DATE = "date"
    MONEY = "money"
    EMAIL = "email"
    PHONE = "phone"
    IDENTIFIER = "identifier"
    PERSON = "person"
    ORGANIZATION = "organization"
    LOCATION = "location"


Attribute = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticObject:
    """An object with the blocks that show it (`evidence`) in reading order; `confidence` 0..1."""

    id: str
    type: ObjectType
    value: str
    attributes: dict[str, Attribute] = field(default_factory=dict)
    confidence: float
    evidence: tuple[BlockId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticDocument:
    """Semantic objects of a document."""

    objects: tuple[SemanticObject, ...] = ()


EMPTY = SemanticDocument()
"""Result for documents that were stored without semantic objects."""

Mention = tuple[ObjectType, str, str, dict[str, Attribute], float]
"""(type, value as written, comparable form, attributes, confidence)"""


def describe_tree(tree: Tree) -> SemanticDocument:
    """Return the objects of the structure, then those named in texts; a value in several blocks is one object."""
    blocks = visible_blocks(tree, furniture=True)
    objects = [
        *_sections(visible_blocks(tree)),
        *_figures(blocks),
        *_lists(blocks),
        *_mentions(blocks),
    ]
    return SemanticDocument(objects=tuple(replace(thing, id=f"s{n}") for n, thing in enumerate(objects)))


def _object(
    kind: ObjectType, value: str, evidence: Iterable[BlockId], confidence: float = 1.0, /, **attributes: Attribute
) -> SemanticObject:
    return SemanticObject(
        id="", type=kind, value=value, attributes=attributes, confidence=confidence, evidence=tuple(evidence)
    )


def _sections(blocks: list[Block]) -> Iterator[SemanticObject]:
    """Yield a section per heading, with all blocks down to the next heading of its level or higher."""
    ends: dict[int, int] = {}
    stack: list[int] = []
    for n, block in enumerate(blocks):
        if block.type in (BlockType.TITLE, BlockType.HEADING):
            while stack and _rank(blocks[stack[-1]]) >= _rank(block):
                ends[stack.pop()] = n
            stack.append(n)
    ends.update((n, len(blocks)) for n in stack)
    for n, end in sorted(ends.items()):
        evidence = (block.id for block in blocks[n:end])
        yield _object(ObjectType.SECTION, blocks[n].text, evidence, level=_rank(blocks[n]), page=blocks[n].page)


def _rank(block: Block) -> int:
    return 0 if block.type is BlockType.TITLE else block.level or 1


def _figures(blocks: list[Block]) -> Iterator[SemanticObject]:
    for n, block in enumerate(blocks):
        if block.type not in (BlockType.TABLE, BlockType.PICTURE):
            continue
        caption = _caption(blocks, n)
        evidence = [block.id] if caption is None else [block.id, caption.id]
        value = caption.text if caption else block.text
        if block.table is not None:
            size: dict[str, Attribute] = {"rows": block.table.rows, "cols": block.table.cols}
            yield _object(ObjectType.TABLE, value, evidence, block.confidence, page=block.page, **size)
        elif block.type is BlockType.PICTURE:
            yield _object(ObjectType.FIGURE, value, evidence, page=block.page, asset_ref=block.asset_ref)


def _caption(blocks: list[Block], n: int) -> Block | None:
    near = [blocks[index] for index in (n + 1, n - 1) if 0 <= index < len(blocks)]
    captions = [block for block in near if block.type is BlockType.CAPTION]
    return next((block for block in captions if block.parent in (None, blocks[n].id)), None)


def _lists(blocks: list[Block]) -> Iterator[SemanticObject]:
    items: list[Block] = []
    for block in [*blocks, None]:
        if block is not None and block.type is BlockType.LIST_ITEM:
            items.append(block)
        elif items:
            value = "\n".join(item.text for item in items)
            yield _object(ObjectType.LIST, value, [item.id for item in items], items=len(items), page=items[0].page)
            items = []


def _mentions(blocks: list[Block]) -> Iterator[SemanticObject]:
    things: dict[tuple[ObjectType, str], SemanticObject] = {}
    shown: dict[tuple[ObjectType, str], dict[BlockId, None]] = {}
    for block in blocks:
        for text in _texts(block):
            for kind, value, normal, attributes, confidence in find_mentions(text):
                things.setdefault((kind, normal), _object(kind, value, (), confidence, **attributes))
                shown.setdefault((kind, normal), {})[block.id] = None
    for key, thing in things.items():
        yield replace(thing, evidence=tuple(shown[key]))


def _texts(block: Block) -> list[str]:
    if block.table is not None and block.table.cells:
        return [cell.text for cell in block.table.cells if cell.text]
    return [block.text] if block.text else []


_NAME = (
    r"(?<![\w'’-])[A-ZÀ-Þ][\w'’-]{1,60}+(?![\w'’-])"  # a whole word: a start inside one would try each of its letters
)
PERSON = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Dr|Prof|Professor|Herr|Frau|Monsieur|Madame|Mme|Sr|Sra|Sig|Dhr|Mevr)\.?\s+(?:Dr\.\s+)?"
    rf"({_NAME}(?:\s+(?:[A-Z]\.|von|van|de|der|da|di)?\s?{_NAME}){{0,3}})"
)
ORGANIZATION = re.compile(rf"(?:{_NAME}[,&]?\s{{1,9}}|&\s{{1,9}}){{1,5}}(?=[A-Z])(?i:{LEGAL_FORM.pattern})(?!\w)")
LOCATION = re.compile(
    r"\b(?:[A-Z]{1,2}-)?\d{4,5}\s+([A-ZÀ-Þ][\w'’-]+(?:[ -][A-ZÀ-Þ][\w'’-]+){0,2})"
    r"|\b([A-Z][a-z]+(?: [A-Z][a-z]+)?), [A-Z]{2} \d{5}\b"
)
DEFINITION = re.compile(
    r"^[\"“„«]?(?P<term>[A-ZÀ-Þ][\w &/-]{1,60}?)[\"”“»]?\s+"
    r"(?:means|is defined as|refers to|shall mean|bedeutet|désigne|significa)\s+"
    r"(?P<meaning>\S.{3,})$",
    re.DOTALL,
)
REFERENCE = re.compile(
    r"\b(?:(?:Fig(?:ure|\.)?|Table|Section|Sec\.|Chapter|Appendix|Equation|Eq\.|Abbildung|Abb\.|Tabelle|Abschnitt|Tableau|Figura|Tabla)"
    r"\s?\d+(?:\.\d+)*|doi:\s?10\.\d{4,9}/\S+|arXiv:\d{4}\.\d{4,5})|\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]"
)


def find_mentions(text: str) -> Iterator[Mention]:
    """Yield the mentions in one text, kind by kind."""
    digits = any(map(str.isdigit, text))
    for finder in (_numeric if digits else _nothing, _addresses, _names):
        yield from finder(text)
    definition = DEFINITION.match(text) if " " in text[:70] else None
    if definition:
        term, meaning = definition["term"], definition["meaning"]
        yield ObjectType.DEFINITION, f"{term}: {meaning}", term.casefold(), {"term": term}, 0.8


def _nothing(text: str) -> Iterator[Mention]:
    yield from ()


def _numeric(text: str) -> Iterator[Mention]:
    dates = list(find_dates(text))
    for day in dates:
        yield ObjectType.DATE, day.raw, day.normal, {"normalized": day.normal}, day.confidence
    for amount in find_amounts(text):
        currency = find_currency(amount.raw)
        if currency is not None:
            attributes: dict[str, Attribute] = {"amount": amount.normal, "currency": currency}
            yield ObjectType.MONEY, amount.raw, f"{amount.normal} {currency}", attributes, 0.9
    ibans = list(find_ibans(text))
    for iban in ibans:
        yield ObjectType.IDENTIFIER, iban.raw, iban.normal, {"kind": "iban"}, 1.0
    for match in VAT_ID.finditer(text):
        if any(iban.start <= match.start() < iban.end for iban in ibans):
            continue
        yield ObjectType.IDENTIFIER, match.group(), re.sub(r"\s", "", match.group()), {"kind": "vat_id"}, 0.8
    for match in REFERENCE.finditer(text):
        yield ObjectType.REFERENCE, match.group(), " ".join(match.group().casefold().split()), {}, 0.9
    for match in PHONE.finditer(text):
        compact = re.sub(r"[^\d+]", "", match.group())
        if 8 <= len(compact) <= 16 and not any(day.start < match.end() and match.start() < day.end for day in dates):
            confidence = 0.9 if compact[0] in "+0" or "(" in match.group() else 0.5
            yield ObjectType.PHONE, match.group(), compact, {"normalized": compact}, confidence


def _addresses(text: str) -> Iterator[Mention]:
    for match in EMAIL.finditer(text) if "@" in text else ():
        yield ObjectType.EMAIL, match.group(), match.group().lower(), {}, 1.0
    for match in URL.finditer(text):
        yield ObjectType.REFERENCE, match.group(), match.group().lower(), {"kind": "url"}, 1.0


def _names(text: str) -> Iterator[Mention]:
    patterns: tuple[tuple[ObjectType, re.Pattern[str], float], ...] = (
        (ObjectType.PERSON, PERSON, 0.8),
        (ObjectType.ORGANIZATION, ORGANIZATION, 0.7),
        (ObjectType.LOCATION, LOCATION, 0.5),
    )
    for kind, pattern, confidence in patterns:
        for match in pattern.finditer(text):
            value = (
                next((group for group in match.groups() if group), match.group())
                if kind is not ObjectType.ORGANIZATION
                else match.group()
            )
            yield kind, value.strip(), " ".join(value.casefold().split()), {}, confidence
