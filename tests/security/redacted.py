"""A document through the real readers and the scan, and every output of it asked for as redacted, without HTTP."""

import hashlib
import json
from collections.abc import Iterator

from pydantic_core import to_json

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import Source, Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.finetune import FinetuneOptions, export_lines
from quire.models.export import OUTPUTS
from quire.models.export.graph import graph_to_neo4j, tree_to_graph
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document
from quire.models.neural.fakes import ScriptedRecogniser
from quire.models.pii.redact import redact_tree
from tests.security.canaries import Case


def read(case: Case, options: ReadOptions = ReadOptions()) -> Tree:
    """The tree as a reader makes it, before the scan."""
    document = open_document(case.data, options)
    recogniser = ScriptedRecogniser({1: case.lines})
    contents = []
    for number in document.facts.page_numbers:
        page = document.read_page(number)
        content = page.content
        if page.pixels is not None:
            content = apply_recognition(content, recogniser.recognise_pages([page.pixels], ("en",), 9)[0])
        contents.append(content)
    source = Source(format=document.facts.format, sha256=hashlib.sha256(case.data).hexdigest(), bytes=len(case.data))
    return assemble(document.facts, contents, source=source, options=options)


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def outputs(scanned: Tree, tokenizer: Tokenizer) -> Iterator[tuple[str, bytes, str]]:
    """(name, bytes, media type) of all that is computed from a redacted tree."""
    tree = redact_tree(scanned, {})
    chunks = chunk_tree(tree, tokenizer)
    for name, output in OUTPUTS.items():
        made = output.make(tree, tokenizer=tokenizer, furniture=True)
        data = made if isinstance(made, bytes) else made.encode() if isinstance(made, str) else to_json(made)
        yield name, data, output.media_type.partition(";")[0]
    yield "neo4j", json.dumps(graph_to_neo4j(tree_to_graph(tree))).encode(), "application/json"
    lines = export_lines((("d", chunk) for chunk in chunks), FinetuneOptions())
    yield "finetune", "".join(lines).encode(), "application/x-ndjson"
