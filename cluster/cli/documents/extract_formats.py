"""Output formats of `quire extract --to`: name → suffix and a function from a read document to bytes.

`quire.models.export.OUTPUTS` lists them. Their modules are imported at the first use.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic_core import to_json

from quire.cluster.cli.shared.options import settings_from
from quire.models.export import OUTPUTS

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


def _write_tree(read: Extracted) -> bytes:
    """Return the stored tree with the file's name in `source`."""
    head = f'{{"source":{{"name":{json.dumps(read.name)},'.encode()
    return head + read.tree_json.removeprefix(_STORED_PREFIX)


def _write(name: str, read: Extracted) -> bytes:
    """Return an output as bytes."""
    output = OUTPUTS[name]
    values: dict[str, Any] = {"title": read.name, "furniture": read.markdown.furniture}
    if "inline" in output.takes:
        from quire.models.export.markdown import MarkdownText

        values["inline"] = MarkdownText.PLAIN if read.markdown.plain else MarkdownText.RICH
    if "tokenizer" in output.takes:
        from quire.models.neural.embed.tokenizer import load_tokenizer

        values["tokenizer"] = load_tokenizer()
    made = output.make(read.tree, **values)
    if isinstance(made, bytes):
        return made
    return made.encode() if isinstance(made, str) else _json(made)


def make_data_writer(schema: object, *, is_checked: bool = False) -> Write:
    """Return a writer of the values that a JSON Schema describes, which a schema checked before may have any number of.

    Raises:
        click.UsageError: The schema cannot be used.
    """
    from quire.cluster.compose.values import schema_limits
    from quire.models.derive.schema import answer, checking, extract

    limits = checking.CHECKED if is_checked else schema_limits(settings_from())
    try:
        checked = extract.read_schema(schema, limits=limits)
    except answer.SchemaRefused as error:
        raise click.UsageError(f"--schema: {error.code} at {error}") from None

    def write(read: Extracted) -> bytes:
        return _json(extract.extract_data(read.tree, checked))

    return write


def _json(value: object) -> bytes:
    return to_json(value, indent=1)


EXTRACT_FORMATS: dict[str, tuple[str, Write]] = {
    name: (output.suffix, _write_tree if name == "tree" else partial(_write, name)) for name, output in OUTPUTS.items()
}


def import_writer(to: str) -> None:
    """Import the writer's module while the sandbox starts."""
    OUTPUTS[to if to in OUTPUTS else "tree"].load()


def format_of(output: Path) -> str:
    """Return the format with this file suffix; the tree for other names and for folders."""
    named = (name for name, (suffix, _) in EXTRACT_FORMATS.items() if suffix == output.suffix.lower())
    return "tree" if output.is_dir() else next(named, "tree")
