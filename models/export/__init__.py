"""Outputs of a tree. `OUTPUTS` is their only list; a new one is a module here and a row there.

The routes of the API and of the console, `quire extract --to`, `quire get --to`, bulk jobs, archives, the viewer's menu
and the tests of outputs are made from the list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # commands import this list before they need a tree
    from quire.models.cdom.ports import Tokenizer
    from quire.models.cdom.tree import Tree

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export of a plugin: `write` returns the whole file as text with default settings."""

    media_type: str
    suffix: str
    write: "Callable[[Tree, Tokenizer], str]"


@dataclass(frozen=True, slots=True)
class TreeOutput:
    """A row of the list of outputs.

    Attributes:
        title: Text of the viewer's menu.
        media_type: Media type of the file.
        ending: End of a file's name, without a dot.
        path: Path of the API below the document. A path under `export/` that no route serves gets one.
        writer: `module:function` from a tree to text, bytes or a JSON value; imported at the first use.
        takes: Keyword arguments of the writer that callers may set: such as `tokenizer` and `title`.
        aliases: Other names that people type.
        about: What the output holds, for the route that is made from this row.
        for_programs: Whether the menu lists it among the outputs for programs.
    """

    title: str
    media_type: str
    ending: str
    path: str
    writer: str
    takes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    about: str = ""
    for_programs: bool = False

    @property
    def suffix(self) -> str:
        """Return the suffix of a file, with its dot."""
        return f".{self.ending.rsplit('.', 1)[-1]}"

    def load(self) -> Callable[..., object]:
        """Import the writer."""
        module, _, name = self.writer.partition(":")
        writer: Callable[..., object] = getattr(import_module(module), name)
        return writer

    def make(self, tree: "Tree", **values: Any) -> object:
        """Return the output as text, bytes or a JSON value. Values that the writer does not take are ignored."""
        return self.load()(tree, **{name: values[name] for name in self.takes if name in values})


def _program(title: str, ending: str, path: str, writer: str, *takes: str) -> TreeOutput:
    return TreeOutput(title, JSON, ending, path, f"quire.models.{writer}", takes, for_programs=True)


OUTPUTS: Mapping[str, TreeOutput] = {
    "markdown": TreeOutput(
        "Markdown",
        "text/markdown; charset=utf-8",
        "md",
        "export/markdown",
        "quire.models.export.markdown:tree_to_markdown",
        ("furniture", "inline"),
        ("md",),
    ),
    "docx": TreeOutput(
        "Word",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
        "export/docx",
        "quire.models.export.word:tree_to_docx",
        ("title",),
        ("word",),
    ),
    "html": TreeOutput(
        "HTML",
        "text/html; charset=utf-8",
        "html",
        "export/html",
        "quire.models.export.html:tree_to_html",
        (),
        ("htm",),
    ),
    "text": TreeOutput(
        "Text",
        "text/plain; charset=utf-8",
        "txt",
        "export/text",
        "quire.models.export.text:tree_to_text",
        ("furniture",),
        ("txt",),
        "Export the visible text in reading order. Tables have a line per row and a tab between cells.",
    ),
    "tree": TreeOutput(
        "Tree (JSON)", JSON, "json", "tree", "quire.models.cdom.tree:dump_tree", (), ("json", "cdom"), for_programs=True
    ),
    "chunks": _program(
        "Passages (JSON)", "chunks.json", "chunks", "derive.chunks.chunks:chunk_tree", "tokenizer", "settings"
    ),
    "fields": _program("Fields (JSON)", "fields.json", "fields", "derive.document_fields:find_fields"),
    "semantics": _program("Entities (JSON)", "entities.json", "semantics", "derive.semantics:describe_tree"),
    "graph": _program("Graph (JSON)", "graph.json", "export/graph", "export.graph:tree_to_graph"),
    "context": _program(
        "Context digest (JSON)", "context.json", "export/context", "export.context:tree_to_context", "tokenizer"
    ),
}
ALIASES: Mapping[str, str] = {alias: name for name, output in OUTPUTS.items() for alias in output.aliases}
"""Output names by the other names that people type."""
