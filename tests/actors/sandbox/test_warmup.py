"""The fork server's own sample is a document like any other."""

import io

import pytest

from quire.actors.reading.forkserver import ForkServer
from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.actors.sandbox.warmup import make_sample
from quire.models.cdom.original import ReadOptions
from quire.models.extract.registry import open_document


def test_the_sample_is_read_without_repair() -> None:
    document = open_document(make_sample(), ReadOptions())
    content = document.read_page(1).content
    text = " ".join(block.text for block in content.blocks)
    assert document.facts.page_count == 1
    assert "A heading" in text
    assert "Plain words that fill a line" in text


def test_a_sandbox_for_pdfs_alone_reads_them_as_one_for_everything_does() -> None:
    made = []
    for formats in ((), ("pdf",)):
        reader = DocumentReader(SandboxLimits(formats=formats))
        try:
            made.append(reader.read(io.BytesIO(make_sample()), ReadOptions()))
        finally:
            reader.close()
    assert made[0].tree_json == made[1].tree_json
    assert made[0].error is made[1].error is None


@pytest.mark.parametrize("used", [True, False])
def test_a_server_that_was_launched_is_the_one_that_starts_and_ends(used: bool) -> None:
    server = ForkServer(SandboxLimits(formats=("pdf",)))
    server.launch()
    launched = server._launched
    assert launched is not None
    if used:
        server.start()
        assert server.pid == launched.process.pid
    server.close()
    assert launched.process.poll() is not None


def test_limits_cross_to_the_server_as_they_are() -> None:
    limits = SandboxLimits(formats=("pdf",), readers={"pdf": "a:b"})
    assert SandboxLimits.load(limits.dump()) == limits
