"""Structure trees that the engine cannot climb: such a file is read without its tags, with a warning."""

import pytest

from quire.models.cdom.tree import Warning
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import read_tree
from tests.models.extract.formats.pdf.tagged import Element, Words, make_tagged

TEXT = ["Above the gap", "Below the gap"]


def make_sections() -> bytes:
    sections = [Element("Sect", [Element("P", [Words(50, 50 + 90 * i, text)])]) for i, text in enumerate(TEXT)]
    return make_tagged([Element("Document", sections)])


def change_parents(data: bytes, parents: dict[str, str]) -> bytes:
    """Give all elements of a role the parent that is stated: a role, or the object itself."""
    with pymupdf.open(stream=data) as file:
        elements = [i for i in range(1, file.xref_length()) if file.xref_get_key(i, "Type")[1] == "/StructElem"]
        numbers = {file.xref_get_key(i, "S")[1][1:]: f"{i} 0 R" for i in elements}
        for i in elements:
            parent = parents.get(file.xref_get_key(i, "S")[1][1:])
            if parent is not None:
                file.xref_set_key(i, "P", numbers.get(parent, parent))
        return bytes(file.tobytes())


def put_below(data: bytes, levels: int) -> bytes:
    """Put the document element below so many others."""
    with pymupdf.open(stream=data) as file:
        elements = [i for i in range(1, file.xref_length()) if file.xref_get_key(i, "S")[1] == "/Document"]
        below, root = elements[0], file.xref_get_key(elements[0], "P")[1]
        for _ in range(levels):
            above = file.get_new_xref()
            file.update_object(above, f"<</Type/StructElem/S/Sect/P {root}/K[{below} 0 R]>>")
            file.xref_set_key(below, "P", f"{above} 0 R")
            below = above
        return bytes(file.tobytes())


@pytest.mark.parametrize(
    "parents", [{"Sect": "Sect"}, {"Document": "P"}, {"Sect": "null"}, {"P": "P"}, {"Document": "7"}], ids=str
)
def test_elements_that_lead_to_no_root_are_read_without_tags(parents: dict[str, str]) -> None:
    tree = read_tree(change_parents(make_sections(), parents))
    assert [block.text for block in tree.blocks] == TEXT
    assert {block.provenance.engine for block in tree.blocks} == {"mupdf"}
    assert tree.warnings == (Warning(code="tags-ignored"),)


def test_elements_with_thousands_of_levels_are_read_without_tags() -> None:
    tree = read_tree(put_below(make_sections(), 3000))
    assert [block.text for block in tree.blocks] == TEXT
    assert tree.warnings == (Warning(code="tags-ignored"),)


def test_elements_with_some_levels_keep_their_tags() -> None:
    tree = read_tree(put_below(make_sections(), 40))
    assert {block.provenance.engine for block in tree.blocks} == {"mupdf+tags"}
    assert tree.warnings == ()
