"""Reads bytes as the product does, without a sandbox: sniffed, opened, assembled; and makes packages."""

import io
import zipfile

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Block, BlockType, Source, Tree
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

DEFAULTS = ReadOptions()


def read_tree(data: bytes, options: ReadOptions = DEFAULTS) -> Tree:
    document = open_document(data, options)
    pages = [document.read_page(number).content for number in document.facts.page_numbers]
    source = Source(format=document.facts.format.value, sha256="", bytes=len(data))
    return assemble(document.facts, pages, source=source, options=options)


def of_type(tree: Tree, *types: BlockType) -> list[Block]:
    return [block for block in tree.blocks if block.type in types]


def texts(tree: Tree, *types: BlockType) -> list[str]:
    return [block.text for block in tree.blocks if not types or block.type in types]


def rows_of(block: Block) -> list[list[str]]:
    """The texts of a table, row by row, spans not repeated."""
    assert block.table is not None
    rows: list[list[str]] = [[] for _ in range(block.table.rows)]
    for cell in block.table.cells:
        rows[cell.row].append(cell.text)
    return rows


def zipped(parts: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
