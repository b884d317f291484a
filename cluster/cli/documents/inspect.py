"""`quire inspect`: one page with the boxes, types and reading order of its blocks drawn over it.

`quire explain`: which pass of reading set a block's type, level, order and cells, and by which numbers. Both read in
the sandbox, as `quire extract` does. Know no Ray, no database and no HTTP.
"""

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from PIL import Image, ImageDraw

from quire.actors.reading.read_document import DocumentReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.extract.pipeline.explain import list_limits
from quire.models.extract.pipeline.passes import DOCUMENT_PASSES, PAGE_PASSES

if TYPE_CHECKING:
    from PIL import ImageDraw

    from quire.models.cdom.ports import PageImage

NAMES = tuple(item.name for item in (*PAGE_PASSES, *DOCUMENT_PASSES))
COLORS: dict[BlockType, str] = {
    BlockType.TITLE: "#c2185b",
    BlockType.HEADING: "#d32f2f",
    BlockType.PARAGRAPH: "#1565c0",
    BlockType.LIST_ITEM: "#00838f",
    BlockType.TABLE: "#2e7d32",
    BlockType.PICTURE: "#ef6c00",
    BlockType.CAPTION: "#9e9d24",
    BlockType.CODE: "#4527a0",
    BlockType.FORMULA: "#6a1b9a",
    BlockType.FOOTNOTE: "#5d4037",
    BlockType.PAGE_HEADER: "#757575",
    BlockType.PAGE_FOOTER: "#757575",
    BlockType.KEY_VALUE: "#00695c",
    BlockType.CHECKBOX: "#ad1457",
}


@click.command(name="inspect")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--page", type=click.IntRange(min=1), default=1, show_default=True, help="Page number, from 1.")
@click.option("-o", "--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="PNG file to write.")
@click.option("--dpi", type=click.IntRange(36, 300), default=110, show_default=True)
@click.option("--password", default=None, help="Password of an encrypted file.")
def inspect(file: Path, page: int, out: Path, dpi: int, password: str | None) -> None:
    """Draw boxes, types and order of one page's blocks over the page."""
    tree, image = read_page(file, page, dpi, password)
    out.write_bytes(draw_blocks(image, tree, page, dpi))
    for line in list_blocks(tree, page):
        click.echo(line)


def read_page(file: Path, page: int, dpi: int, password: str | None) -> tuple[Tree, "PageImage"]:
    """Return the tree of that page alone, and the page as PNG; ends the command when the page is unreadable."""
    reader = DocumentReader(SandboxLimits())
    options = ReadOptions(pages=((page, page),), password=password, ocr=OcrMode.NEVER)
    try:
        with file.open("rb") as original:
            outcome = reader.read(original, options)
        if outcome.tree is None:
            raise click.ClickException(str(outcome.error or "internal"))
        with file.open("rb") as original:
            return outcome.tree, reader.render(original, page, dpi, password)
    except ExtractError as error:
        raise click.ClickException(error.code.value) from None
    finally:
        reader.close()


def draw_blocks(image: "PageImage", tree: Tree, page: int, dpi: int) -> bytes:
    """Return the page's PNG with a frame around every block, labelled with its order and type."""
    picture = Image.open(io.BytesIO(image.png)).convert("RGB")
    scale = picture.width / image.width if image.width else dpi / 72
    pen = ImageDraw.Draw(picture)
    for block in tree.blocks:
        if block.page == page and block.bbox is not None:
            _draw_block(pen, block, scale)
    drawn = io.BytesIO()
    picture.save(drawn, "PNG")
    return drawn.getvalue()


def _draw_block(pen: "ImageDraw.ImageDraw", block: Block, scale: float) -> None:
    assert block.bbox is not None
    x0, y0, x1, y1 = (value * scale for value in block.bbox)
    color = COLORS[block.type]
    pen.rectangle((x0, y0, max(x0, x1), max(y0, y1)), outline=color, width=2)
    for cell in block.table.cells if block.table else ():
        if cell.bbox is not None:
            pen.rectangle(tuple(value * scale for value in cell.bbox), outline="#81c784", width=1)
    label = f"{block.order} {block.type.value}" + (f" {block.level}" if block.level else "")
    label += f" <{block.continues}" if block.continues else ""
    width = 6 * len(label) + 4
    pen.rectangle((x0, max(0.0, y0 - 11), x0 + width, max(11.0, y0)), fill=color)
    pen.text((x0 + 2, max(0.0, y0 - 11)), label, fill="white")


def list_blocks(tree: Tree, page: int) -> list[str]:
    """One line per block: order, type, box, the beginning of its text."""
    return [
        f"{block.order:4} {block.type.value:12} {_box(block)} {' '.join(block.text.split())[:70]}"
        for block in tree.blocks
        if block.page == page
    ]


def _box(block: Block) -> str:
    return " ".join(f"{value:6.1f}" for value in block.bbox) if block.bbox else "-"


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
        was = " kept" if change["before"] == change["after"] else was
        why = f"  [{change['numbers']}]" if change["numbers"] else ""
        lines.append(f"    {change['aspect']:6} {change['after'] or 'none'}{was} by {change['name']}{why}")
    return lines
