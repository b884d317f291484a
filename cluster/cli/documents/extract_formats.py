"""Output formats of `quire extract --to`: name → suffix and a function from a read document to bytes.

Adding a format is one function and one line in EXTRACT_FORMATS; its imports happen at the first use.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from quire.models.cdom.tree import Tree

_STORED_PREFIX = b'{"source":{'


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownChoices:
    """Markdown options of the command line: `furniture` as the export takes it, `plain` for words alone."""

    furniture: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A document that was read: its tree, the canonical bytes, the file's name."""

    tree: "Tree"
    tree_json: bytes
    name: str
    markdown: MarkdownChoices = MarkdownChoices()


Write = Callable[[Extracted], bytes]


def write_tree(read: Extracted) -> bytes:
    """Return the stored tree with the file's name in `source`."""
    head = f'{{"source":{{"name":{json.dumps(read.name)},'.encode()
    return head + read.tree_json.removeprefix(_STORED_PREFIX)


def write_markdown(read: Extracted) -> bytes:
    """Return the document as Markdown."""
    from quire.models.export.markdown import MarkdownText, tree_to_markdown

    inline = MarkdownText.PLAIN if read.markdown.plain else MarkdownText.RICH
    return tree_to_markdown(read.tree, furniture=read.markdown.furniture, inline=inline).encode()


def write_html(read: Extracted) -> bytes:
    """Return the document as HTML."""
    from quire.models.export.html import tree_to_html

    return tree_to_html(read.tree).encode()


def write_docx(read: Extracted) -> bytes:
    """Return the document as a Word file."""
    from quire.models.export.word import tree_to_docx

    return tree_to_docx(read.tree, title=read.name)


def write_chunks(read: Extracted) -> bytes:
    """Return the chunks as JSON."""
    from quire.models.derive.chunks.chunks import chunk_tree
    from quire.models.neural.embed.tokenizer import load_tokenizer

    return _json(chunk_tree(read.tree, load_tokenizer()))


def write_fields(read: Extracted) -> bytes:
    """Return the form fields as JSON."""
    from quire.models.derive.fields.fields import find_fields

    return _json(find_fields(read.tree))


def write_semantics(read: Extracted) -> bytes:
    """Return the document's description as JSON."""
    from quire.models.derive.semantics import describe_tree

    return _json(describe_tree(read.tree))


def write_context(read: Extracted) -> bytes:
    """Return the context pack for language models as JSON."""
    from quire.models.export import DEFAULT_CONTEXT_TOKENS, context
    from quire.models.neural.embed.tokenizer import load_tokenizer

    return _json(context.tree_to_context(read.tree, max_tokens=DEFAULT_CONTEXT_TOKENS, tokenizer=load_tokenizer()))


def write_graph(read: Extracted) -> bytes:
    """Return the document's graph as JSON."""
    from quire.models.export.graph import tree_to_graph

    return _json(tree_to_graph(read.tree))


def make_data_writer(schema: object) -> Write:
    """Return a writer of the values that a JSON Schema describes.

    Raises:
        click.UsageError: The schema cannot be used.
    """
    from quire.models.derive.schema import answer, extract

    try:
        checked = extract.read_schema(schema)
    except answer.SchemaRefused as error:
        raise click.UsageError(f"--schema: {error.code} at {error}") from None

    def write(read: Extracted) -> bytes:
        return _json(extract.extract_data(read.tree, checked))

    return write


def _json(value: object) -> bytes:
    from pydantic_core import to_json

    return to_json(value, indent=1)


EXTRACT_FORMATS: dict[str, tuple[str, Write]] = {
    "tree": (".json", write_tree),
    "markdown": (".md", write_markdown),
    "html": (".html", write_html),
    "docx": (".docx", write_docx),
    "chunks": (".json", write_chunks),
    "fields": (".json", write_fields),
    "semantics": (".json", write_semantics),
    "context": (".json", write_context),
    "graph": (".json", write_graph),
}

_NEEDED = {
    "markdown": "quire.models.export.markdown",
    "html": "quire.models.export.html",
    "docx": "quire.models.export.word",
    "graph": "quire.models.export.graph",
}


def import_writer(to: str) -> None:
    """Import the modules of this format's writer while the sandbox starts."""
    import_module(_NEEDED.get(to, "quire.models.cdom.tree"))


ALIASES = {"md": "markdown", "json": "tree", "cdom": "tree", "htm": "html", "word": "docx"}
"""Other names people type."""


def format_of(output: Path) -> str:
    """Return the format with this file suffix; the tree for other names and for folders."""
    named = (name for name, (suffix, _) in EXTRACT_FORMATS.items() if suffix == output.suffix.lower())
    return "tree" if output.is_dir() else next(named, "tree")
