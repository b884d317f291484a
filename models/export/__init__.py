"""Exports of a tree. `EXPORTS` lists them with their media types; a new one is a module here and a line there.

Derivations or models that an export needs (a tokenizer) are passed in.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import Tree
from quire.models.export.context import tree_to_context
from quire.models.export.graph import tree_to_graph
from quire.models.export.html import tree_to_html

DEFAULT_CONTEXT_TOKENS = 4000  # tokens of a digest when none are asked for: half of a small model's window


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export: `write` returns the whole file as text with default settings."""

    media_type: str
    suffix: str
    write: Callable[[Tree, Tokenizer], str]


def _markdown(tree: Tree, tokenizer: Tokenizer) -> str:
    from quire.models.export.markdown import tree_to_markdown

    return tree_to_markdown(tree)


def _html(tree: Tree, tokenizer: Tokenizer) -> str:
    return tree_to_html(tree)


def _graph(tree: Tree, tokenizer: Tokenizer) -> str:
    return json.dumps(asdict(tree_to_graph(tree)))


def _context(tree: Tree, tokenizer: Tokenizer) -> str:
    return json.dumps(asdict(tree_to_context(tree, max_tokens=DEFAULT_CONTEXT_TOKENS, tokenizer=tokenizer)))


EXPORTS: Mapping[str, Export] = {
    "html": Export(media_type="text/html; charset=utf-8", suffix="html", write=_html),
    "markdown": Export(media_type="text/markdown; charset=utf-8", suffix="md", write=_markdown),
    "graph": Export(media_type="application/json", suffix="json", write=_graph),
    "context": Export(media_type="application/json", suffix="json", write=_context),
}
