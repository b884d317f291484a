"""`quire explain`: which pass of reading set a block's type, level, order and cells, and by which numbers.

Reads in the sandbox, as `quire extract` does. Knows no Ray, no database and no HTTP.
"""

import json
from pathlib import Path
from typing import Any

import click

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.extract.pipeline.explain import list_limits
from quire.models.extract.pipeline.passes import DOCUMENT_PASSES, PAGE_PASSES

NAMES = tuple(item.name for item in (*PAGE_PASSES, *DOCUMENT_PASSES))


@click.command(name="explain")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False)
@click.option("--page", type=click.IntRange(min=1), default=None, help="Explain one page, from 1.")
@click.option("--block", default=None, help="Explain one block, such as b17.")
@click.option("--without", multiple=True, type=click.Choice(NAMES), metavar="PASS", help="Leave a pass out.")
@click.option("--timings", is_flag=True, help="Print milliseconds by pass.")
@click.option("--limits", is_flag=True, help="Print all passes in their order, their columns and their numbers.")
@click.option("--password", default=None, help="Password of an encrypted file.")
def explain(
    file: Path | None,
    page: int | None,
    block: str | None,
    without: tuple[str, ...],
    timings: bool,
    limits: bool,
    password: str | None,
) -> None:
    """Say which pass set type, level, order and cells of a document's blocks, and by which numbers."""
    if limits:
        click.echo("\n".join(list_limits()))
    elif file is None:
        raise click.UsageError("name a file, or use --limits")
    if file is None:
        return
    found = read_explanation(file, page, password, without)
    shown = [item for item in found["blocks"] if block in (None, item["id"])]
    if block is not None and not shown:
        raise click.ClickException(f"no block {block}; the document has {len(found['blocks'])}")
    for item in shown:
        click.echo("\n".join(describe_block(item)))
    if timings:
        total = sum(found["milliseconds"].values())
        for name in sorted(found["milliseconds"], key=lambda name: -found["milliseconds"][name]):
            click.echo(f"{found['milliseconds'][name]:9.2f} ms  {name}")
        click.echo(f"{total:9.2f} ms  all passes")


def read_explanation(file: Path, page: int | None, password: str | None, without: tuple[str, ...]) -> dict[str, Any]:
    """Return the explanation of a document; ends the command when it cannot be read."""
    reader = DocumentReader(SandboxLimits())
    pages = () if page is None else ((page, page),)
    try:
        with file.open("rb") as original:
            options = ReadOptions(pages=pages, password=password, ocr=OcrMode.NEVER)
            return dict(json.loads(reader.explain(original, options, without)))
    except ExtractError as error:
        raise click.ClickException(error.code.value) from None
    finally:
        reader.close()


def describe_block(item: dict[str, Any]) -> list[str]:
    """Return a line for the block, and one for each thing that a pass set."""
    level = f" {item['level']}" if item["level"] else ""
    lines = [f"{item['id']} {item['type']}{level}, page {item['page']}: {item['text']}"]
    for change in item["changes"]:
        was = f" (was {change['before']})" if change["before"] not in ("", change["after"]) else ""
        why = f"  [{change['numbers']}]" if change["numbers"] else ""
        lines.append(f"    {change['aspect']:6} {change['after'] or 'none'}{was} by {change['name']}{why}")
    return lines
