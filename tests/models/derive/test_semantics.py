"""Semantic objects: what structure and text name, each with the blocks that show it."""

import pytest
from hypothesis import given, settings

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.semantics import EMPTY, ObjectType, describe_tree
from tests.builders import make_block, make_tree, table_block
from tests.models.derive.strategies import trees

P = BlockType.PARAGRAPH


def found(tree: Tree, kind: ObjectType) -> list[tuple[str, tuple[str, ...]]]:
    return [(thing.value, thing.evidence) for thing in describe_tree(tree).objects if thing.type is kind]


def test_structure_becomes_sections_tables_figures_and_lists() -> None:
    tree = make_tree(
        make_block(BlockType.HEADING, "A", level=1), make_block(P, "x"), make_block(BlockType.HEADING, "B", level=2),
        table_block([["h"], ["1"]]), make_block(BlockType.CAPTION, "Table 1"), make_block(BlockType.PICTURE),
        make_block(BlockType.LIST_ITEM, "one"), make_block(BlockType.LIST_ITEM, "two"),
    )  # fmt: skip
    assert found(tree, ObjectType.SECTION) == [
        ("A", ("b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7")), ("B", ("b2", "b3", "b4", "b5", "b6", "b7")),
    ]  # fmt: skip
    assert found(tree, ObjectType.TABLE) == [("Table 1", ("b3", "b4"))]
    assert [evidence[0] for _, evidence in found(tree, ObjectType.FIGURE)] == ["b5"]
    assert found(tree, ObjectType.LIST) == [("one\ntwo", ("b6", "b7"))]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("due on 5 June 2021", ObjectType.DATE, "5 June 2021"),
        ("costs € 1.234,50 net", ObjectType.MONEY, "€ 1.234,50"),
        ("write to a.b@c.example now", ObjectType.EMAIL, "a.b@c.example"),
        ("call +49 6051 916 44 10", ObjectType.PHONE, "+49 6051 916 44 10"),
        ("IBAN DE89 3704 0044 0532 0130 00", ObjectType.IDENTIFIER, "DE89 3704 0044 0532 0130 00"),
        ("as Figure 3 shows", ObjectType.REFERENCE, "Figure 3"),
        ("shown before [12]", ObjectType.REFERENCE, "[12]"),
        ("“Works” means the things listed below.", ObjectType.DEFINITION, "Works: the things listed below."),
        ("signed by Dr. Ada Lovelace today", ObjectType.PERSON, "Ada Lovelace"),
        ("a letter of Morning Star GmbH about it", ObjectType.ORGANIZATION, "Morning Star GmbH"),
        ("sent to 63571 Gelnhausen by post", ObjectType.LOCATION, "Gelnhausen"),
    ],
)
def test_texts_name_things_without_a_model(text: str, kind: ObjectType, value: str) -> None:
    assert found(make_tree(make_block(P, text)), kind) == [(value, ("b0",))]


def test_a_thing_named_twice_is_one_object_with_two_blocks() -> None:
    tree = make_tree(make_block(P, "a@b.example"), make_block(P, "x"), make_block(P, "A@B.example again"))
    assert found(tree, ObjectType.EMAIL) == [("a@b.example", ("b0", "b2"))]


def test_hidden_text_names_nothing_and_an_old_document_is_empty() -> None:
    assert describe_tree(make_tree(make_block(P, "a@b.example", flags=(HIDDEN_TEXT,)))) == EMPTY


@settings(max_examples=50)
@given(trees())
def test_evidence_is_always_blocks_of_the_tree_and_ids_are_unique(tree: Tree) -> None:
    objects = describe_tree(tree).objects
    known = {block.id for block in tree.blocks}
    assert all(thing.evidence and set(thing.evidence) <= known for thing in objects)
    assert len({thing.id for thing in objects}) == len(objects)
