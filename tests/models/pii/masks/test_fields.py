"""Redaction removes personal data from every field of a tree, both scanned text and related facts."""

import types
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from quire.models.cdom.tree import Block, BlockType, Page, Tree, dump_tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.pii.redact import redact_tree
from tests.models.pii.trees import paragraph, tree

CANARY = "ann.canary@mail.example"
IDENTIFIERS = {"id", "parent", "continues"}
"""Ids of blocks, which the service numbers itself when it stores a tree."""


def fill(kind: Any, name: str = "") -> Any:
    """Make a value of a type in which each string is the canary and each optional field is set."""
    kind = getattr(kind, "__value__", kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{field.name: fill(hints[field.name], field.name) for field in fields(kind)})
    if origin is Literal:
        return arguments[0]
    if origin in (Union, types.UnionType):
        return fill(next(argument for argument in arguments if argument is not type(None)), name)
    if origin is tuple:
        inner = arguments[:1] if arguments[-1] is Ellipsis else arguments
        return tuple(fill(argument, name) for argument in inner)
    if origin is dict:
        return {fill(arguments[0], name): fill(arguments[1], name)}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return next(iter(kind))
    if kind is str or getattr(kind, "__supertype__", None) is str:
        return "b0" if name in IDENTIFIERS else CANARY
    return {int: 0, float: 1.0, bool: True}[kind]


def test_no_field_of_a_tree_keeps_a_value_after_redaction() -> None:
    full: Tree = fill(Tree)
    assert dump_tree(full).decode().count(CANARY) > 25
    scan = flag_tree(replace(full, pii=None), RegexDetector())
    assert CANARY not in dump_tree(redact_tree(scan, {})).decode()


def test_each_kind_of_field_is_reached_by_the_filled_tree() -> None:
    full: Tree = fill(Tree)
    (page,), (block,) = full.pages, full.blocks
    assert isinstance(page, Page)
    assert isinstance(block, Block)
    assert page.label == page.reason == block.text == CANARY
    assert block.table is not None
    assert block.table.cells[0].text == block.table.checks[0].kind == CANARY
    assert full.coverage is not None
    assert full.coverage.pages[0].excluded[0].reason == CANARY


def test_page_label_is_redacted_text_of_its_block_or_nothing() -> None:
    heading = replace(paragraph(0, f"Sheet of {CANARY}"), type=BlockType.HEADING)
    plain = tree(heading, paragraph(1, "Budget"))
    for label, shown in ((heading.text, "Sheet of [REDACTED:email]"), ("Budget", "Budget"), ("Ann", None)):
        labelled = replace(plain, pages=(replace(plain.pages[0], label=label),))
        scan = flag_tree(labelled, RegexDetector())
        assert redact_tree(scan, {}).pages[0].label == shown
