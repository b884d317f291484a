"""The fork server's own sample is a document like any other."""

from actors.sandbox.warmup import make_sample
from models.cdom.original import ReadOptions
from models.extract.readers import open_document


def test_the_sample_is_read_without_repair() -> None:
    document = open_document(make_sample(), ReadOptions())
    content = document.read_page(1).content
    text = " ".join(block.text for block in content.blocks)
    assert document.facts.page_count == 1
    assert "A heading" in text
    assert "Plain words that fill a line" in text
