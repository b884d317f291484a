"""SVG drawings: their texts in the order of the file."""

import pytest

from quire.models.cdom.errors import Malformed
from quire.models.cdom.original import Format
from quire.models.extract.formats.sniffing.signatures import sniff
from tests.models.extract.flow_trees import read_tree, texts

HEAD = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">'


def test_texts_are_paragraphs_and_spans_with_positions_are_lines() -> None:
    spans = '<text>One <tspan font-weight="bold">two</tspan> three<tspan x="0" y="20">next</tspan></text>'
    label = "<foreignObject><div xmlns='http://www.w3.org/1999/xhtml'><p>In</p><p>HTML</p></div></foreignObject>"
    data = f"{HEAD}<title>Plan</title><g>{spans}<text>Last<title>tip</title></text>{label}</g></svg>".encode()
    tree = read_tree(data)
    assert sniff(data) is Format.SVG
    assert texts(tree) == ["One two three\nnext", "Last", "In\nHTML"]
    assert tree.metadata.title == "Plan"
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_drawing_with_pictures_says_that_they_are_not_read() -> None:
    tree = read_tree(f'{HEAD}<image href="data:image/png;base64,AAAA"/><text>x</text></svg>'.encode())
    assert [warning.code for warning in tree.warnings] == ["external-image"]


def test_drawing_with_the_usual_document_type_is_read() -> None:
    kind = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    data = f'<?xml version="1.0"?>\n<!-- Made -->\n{kind}\n<svg xmlns="http://www.w3.org/2000/svg"><text>a</text></svg>'
    assert texts(read_tree(data.encode())) == ["a"]


def test_drawing_with_entities_is_malformed() -> None:
    entity = '<!DOCTYPE svg [<!ENTITY a "b">]>\n<svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>'
    with pytest.raises(Malformed):
        read_tree(entity.encode())
