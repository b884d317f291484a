"""`python -m cluster.jobs.finetune TREES -o TO`: a corpus of trees into fine-tune records, as JSONL shards.

TREES is the output folder of the extract job (or any folder of trees). Chunking runs on the cluster, the gates and the
removal of near-duplicates over the whole corpus here, in the order of names: the same corpus gives the same bytes.
"""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from cluster.jobs.folders import absolute_url, open_folder
from cluster.jobs.shards import write_shards
from cluster.jobs.spread import Row, connect, spread
from models.cdom.chunk import Chunk
from models.derive.finetune import FinetuneOptions, Split, Style, export_lines

log = logging.getLogger("quire.jobs.finetune")
BATCH = 16


class ChunkRow:
    """A row is the names of some trees; the answer their chunks as JSON. A broken tree gives none."""

    def __init__(self, root: str) -> None:
        from models.neural.embed.tokenizer import load_tokenizer

        self._folder, self._tokenizer = open_folder(root), load_tokenizer()

    def __call__(self, row: Row) -> Row:
        return {"names": row["names"], "chunks": [self._chunk(str(name)) for name in row["names"]]}

    def _chunk(self, name: str) -> str:
        """The chunks of one stored tree; an empty list for what is no tree."""
        from pydantic import TypeAdapter, ValidationError

        from models.derive.chunks import chunk_tree

        try:
            tree = load_named_tree(self._folder.read(name))
        except (ValidationError, ValueError, OSError):
            return "[]"
        return TypeAdapter(list[Chunk]).dump_json(chunk_tree(tree, self._tokenizer)).decode()


def load_named_tree(stored: bytes) -> Any:
    """A tree as `quire extract` writes it: with the file's name, which the tree itself does not hold."""
    from models.cdom.tree import load_tree

    facts = json.loads(stored)
    facts["source"].pop("name", None)
    facts.pop("document_id", None)
    return load_tree(json.dumps(facts).encode())


def find_trees(root: str) -> list[str]:
    """Names of the trees below `root`: of an extract job's output only its trees."""
    names = sorted(name for name, _ in open_folder(root).names() if name.endswith(".json"))
    made = [name for name in names if name.startswith("tree/")]
    return made or names


def read_chunks(root: str, names: list[str]) -> Iterator[tuple[str, Chunk]]:
    """(document, chunk) in the order of the names, chunked on the cluster this process belongs to."""
    from pydantic import TypeAdapter

    rows: list[Row] = [{"names": names[at : at + BATCH]} for at in range(0, len(names), BATCH)]
    adapter = TypeAdapter(list[Chunk])
    for row in spread(rows, ChunkRow, (root,), workers=connect(), in_order=True):
        for name, chunks in zip(row["names"], row["chunks"], strict=True):
            for chunk in adapter.validate_json(chunks):
                yield Path(name).stem, chunk


@click.command()
@click.argument("trees")
@click.option("-o", "--output", required=True, metavar="TO", help="A folder or s3://bucket/prefix.")
@click.option("--style", type=click.Choice([style.value for style in Style]), default=Style.COMPLETION.value)
@click.option("--dedup/--no-dedup", default=True, show_default=True, help="Drop near-duplicates over the whole corpus.")
@click.option("--min-chars", type=click.IntRange(0))
@click.option("--max-chars", type=click.IntRange(1))
@click.option("--language", help="Only chunks in this language (ISO 639-1).")
@click.option("--split", type=click.Choice([split.value for split in Split]))
@click.option("--shard-lines", type=click.IntRange(1, 10_000_000), default=100_000, show_default=True)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(
    trees: str, output: str, style: str, dedup: bool, min_chars: int | None, max_chars: int | None,
    language: str | None, split: str | None, shard_lines: int, dry_run: bool,
) -> None:  # fmt: skip
    """Fine-tune records of a whole corpus; the same corpus gives the same files."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    root = absolute_url(trees)
    try:
        names = find_trees(root)
    except NotADirectoryError:
        raise click.UsageError(f"no such folder: {trees}") from None
    log.info("%d trees", len(names))
    if dry_run:
        return
    options = FinetuneOptions(
        style=Style(style), dedup=dedup, min_chars=min_chars, max_chars=max_chars, language=language,
        split=Split(split) if split else None,
    )  # fmt: skip
    lines = export_lines(read_chunks(root, names) if names else (), options)
    entries = write_shards(
        open_folder(absolute_url(output), make=True), split or "all", lines, lines_per_shard=shard_lines
    )
    total = sum(entry.lines for entry in entries)
    click.echo(json.dumps({"trees": len(names), "shards": len(entries), "lines": total}))


if __name__ == "__main__":
    main()
