"""What `quire extract --to` can write: name → suffix and a function from a read document to bytes.

Adding a format is one function and one line in EXTRACT_FORMATS; what a format needs is imported when it is first used.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from models.cdom.tree import Tree

_STORED_PREFIX = b'{"source":{'


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A document that was read: its tree, the tree's canonical bytes, and the file's name."""

    tree: Tree
    tree_json: bytes
    name: str


Write = Callable[[Extracted], bytes]


def write_tree(read: Extracted) -> bytes:
    """The stored tree with the file's name put into `source`."""
    head = f'{{"source":{{"name":{json.dumps(read.name)},'.encode()
    return head + read.tree_json.removeprefix(_STORED_PREFIX)


def write_markdown(read: Extracted) -> bytes:
    from models.export.markdown import tree_to_markdown

    return tree_to_markdown(read.tree).encode()


def write_html(read: Extracted) -> bytes:
    from models.export.html import tree_to_html

    return tree_to_html(read.tree).encode()


EXTRACT_FORMATS: dict[str, tuple[str, Write]] = {
    "tree": (".json", write_tree),
    "markdown": (".md", write_markdown),
    "html": (".html", write_html),
}
