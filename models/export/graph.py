"""Writes a tree as a graph: document, pages, sections, blocks, tables, cells and pictures, with edges between them.

The graph is JSON or the two CSV files that `neo4j-admin database import` reads. Text is searched only for references
such as `Figure 3`.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.cdom.visible import visible_blocks

LABEL_CHARS = 120  # characters of a node's label in a picture of the graph
DOCUMENT_ID = "document"


class NodeType(StrEnum):
    """Type of a node."""

    DOCUMENT = "document"
    PAGE = "page"
    SECTION = "section"
    BLOCK = "block"
    TABLE = "table"
    CELL = "cell"
    PICTURE = "picture"


class EdgeType(StrEnum):
    """Type of an edge: `follows` points from the later block, `caption_of` from the caption."""

    CONTAINS = "contains"
    FOLLOWS = "follows"
    CAPTION_OF = "caption_of"
    REFERS_TO = "refers_to"


class GraphFormat(StrEnum):
    """Output format of a graph."""

    JSON = "json"
    NEO4J = "neo4j"


class UnknownGraphFormat(ValueError):
    """The format is neither json nor neo4j."""

    code = "unknown-graph-format"


def parse_graph_format(name: str) -> GraphFormat:
    """Parse the name of a format.

    Raises:
        UnknownGraphFormat: No format has that name.
    """
    try:
        return GraphFormat(name)
    except ValueError:
        raise UnknownGraphFormat(name) from None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node; `page` is 1-based, None for the document itself."""

    id: str
    type: NodeType
    label: str
    page: int | None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A directed edge between two nodes."""

    source: str
    target: str
    type: EdgeType


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges of a document."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


def tree_to_graph(tree: Tree) -> Graph:
    """Return the graph without hidden text; block nodes have the ids of their blocks."""
    blocks = visible_blocks(tree, furniture=True)
    pages = sorted({page.number for page in tree.pages} | {block.page for block in blocks})
    nodes = [GraphNode(DOCUMENT_ID, NodeType.DOCUMENT, _label(tree.metadata.title or ""), None)]
    nodes += [GraphNode(f"page-{number}", NodeType.PAGE, f"Page {number}", number) for number in pages]
    edges = [GraphEdge(DOCUMENT_ID, f"page-{number}", EdgeType.CONTAINS) for number in pages]
    for block in blocks:
        nodes.append(GraphNode(block.id, _node_type(block), _label(block.text), block.page))
        for part in BlockPlaces(block).parts:
            edges.append(GraphEdge(f"page-{part.page}", block.id, EdgeType.CONTAINS))
    edges += [GraphEdge(later.id, block.id, EdgeType.FOLLOWS) for block, later in pairwise(blocks)]
    for items in (_section_parts(blocks), _cells(blocks)):
        for item in items:
            if isinstance(item, GraphNode):
                nodes.append(item)
            else:
                edges.append(item)
    edges += [GraphEdge(caption, figure, EdgeType.CAPTION_OF) for caption, figure in _captions(blocks).items()]
    edges += _references(blocks)
    return Graph(tuple(nodes), tuple(edges))


def _label(text: str) -> str:
    label = " ".join(text[: 4 * LABEL_CHARS].split())
    return label if len(label) <= LABEL_CHARS else label[: LABEL_CHARS - 1] + "…"


def _node_type(block: Block) -> NodeType:
    if block.table is not None:
        return NodeType.TABLE
    return NodeType.PICTURE if block.type is BlockType.PICTURE else NodeType.BLOCK


def _section_parts(blocks: Sequence[Block]) -> Iterator[GraphNode | GraphEdge]:
    """Yield a section per heading, inside the section of the next higher heading, with the blocks under it."""
    stack: list[tuple[int, str]] = []
    for block in blocks:
        if block.type in (BlockType.TITLE, BlockType.HEADING):
            level = 0 if block.type is BlockType.TITLE else block.level or 1
            while stack and stack[-1][0] >= level:
                stack.pop()
            section = f"section-{block.id}"
            yield GraphNode(section, NodeType.SECTION, _label(block.text), block.page)
            yield GraphEdge(stack[-1][1] if stack else DOCUMENT_ID, section, EdgeType.CONTAINS)
            stack.append((level, section))
        if stack:
            yield GraphEdge(stack[-1][1], block.id, EdgeType.CONTAINS)


def _cells(blocks: Sequence[Block]) -> Iterator[GraphNode | GraphEdge]:
    for block in blocks:
        places = BlockPlaces(block)
        for number, cell in enumerate(block.table.cells if block.table else ()):
            yield GraphNode(f"{block.id}-c{number}", NodeType.CELL, _label(cell.text), places.of_row(cell.row).page)
            yield GraphEdge(block.id, f"{block.id}-c{number}", EdgeType.CONTAINS)


def _captions(blocks: Sequence[Block]) -> dict[str, str]:
    """Map captions to figures: by parent, else the neighbouring figure."""
    figures = {block.id for block in blocks if block.table is not None or block.type is BlockType.PICTURE}
    captions: dict[str, str] = {}
    for index, block in enumerate(blocks):
        if block.type is BlockType.CAPTION:
            near = [block.parent, *(blocks[other].id for other in (index - 1, index + 1) if 0 <= other < len(blocks))]
            figure = next((name for name in near if name in figures), None)
            if figure is not None:
                captions[block.id] = figure
    return captions


NUMBERED = re.compile(
    r"\b(fig(?:ure|\.)?|table|tab\.|abbildung|abb\.|tabelle|tableau|figura|tabla)\s?(\d+(?:\.\d+)*)", re.IGNORECASE
)


def _references(blocks: Sequence[Block]) -> list[GraphEdge]:
    """Return edges from a block that mentions `Table 2` to the figure or table whose caption begins with it."""
    captions = _captions(blocks)
    named: dict[tuple[str, str], str] = {}
    for block in blocks:
        match = NUMBERED.match(block.text) if block.id in captions else None
        if match:
            named.setdefault(_number(match), captions[block.id])
    if not named:
        return []
    return [
        GraphEdge(block.id, target, EdgeType.REFERS_TO)
        for block in blocks
        if block.id not in captions
        for target in dict.fromkeys(named.get(_number(match)) for match in NUMBERED.finditer(block.text))
        if target is not None and target != block.id
    ]


def _number(match: re.Match[str]) -> tuple[str, str]:
    return match.group(1)[:3].lower(), match.group(2)


FORMULA_START = ("=", "+", "-", "@", "\t", "\r", "\0", "|", "%", "＝", "＋", "－", "＠")


def graph_to_neo4j(graph: Graph, *, document_id: str = "") -> dict[str, str]:
    """Return `nodes.csv` and `edges.csv` by name.

    `document_id` is put in front of all ids, so that several documents can be imported at once.
    """
    prefix = f"{document_id}:" if document_id else ""
    nodes = [("id:ID", "type", "label", "page:int", ":LABEL")] + [
        (
            prefix + node.id,
            node.type,
            _cell_text(node.label),
            "" if node.page is None else str(node.page),
            node.type.title(),
        )
        for node in graph.nodes
    ]
    edges = [(":START_ID", ":END_ID", ":TYPE")] + [
        (prefix + edge.source, prefix + edge.target, edge.type.upper()) for edge in graph.edges
    ]
    return {"nodes.csv": _csv(nodes), "edges.csv": _csv(edges)}


def _cell_text(text: str) -> str:
    """Return the text on one line, with `'` in front of a spreadsheet formula (OWASP ASVS 1.2.10)."""
    text = re.sub("[\x00-\x1f\x7f\u0085\u2028\u2029\ud800-\udfff]", " ", text).strip()
    return f"'{text}" if text.startswith(FORMULA_START) else text


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()
