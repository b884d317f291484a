"""SmartArt: the data part of a diagram in, its texts as nested list items out."""

from typing import Final

from models.cdom.tree import BlockType
from models.extract.formats.common.xml import DGM, A, Element, number
from models.extract.formats.flow.blocks import FlowBlock

MAX_DEPTH: Final = 20
"""Nodes below nodes of a diagram: a deeper one cannot be read on a slide."""
_SHOWN: Final = frozenset({"node", "asst", None})


def read_smartart(root: Element) -> list[FlowBlock]:
    """An item for each node with text, under the node that it hangs from."""
    texts = {}
    for point in root.iterfind(f"{DGM}ptLst/{DGM}pt"):
        if point.get("type") in _SHOWN:
            lines = ("".join(text.text or "" for text in line.iter(A + "t")) for line in point.iterfind(f"{DGM}t/{A}p"))
            texts[point.get("modelId", "")] = "\n".join(line.strip() for line in lines if line.strip())
    below: dict[str, list[tuple[int, str]]] = {}
    inner: set[str] = set()
    for link in root.iterfind(f"{DGM}cxnLst/{DGM}cxn"):
        source, target = link.get("srcId", ""), link.get("destId", "")
        if link.get("type") in (None, "parOf") and target in texts:
            below.setdefault(source, []).append((number(link.get("srcOrd")), target))
            if source in texts:
                inner.add(target)
    tops = [target for source, targets in below.items() if source not in texts for _, target in sorted(targets)]
    tops += [node for node in texts if node not in inner and node not in tops]
    blocks: list[FlowBlock] = []
    seen: set[str] = set()
    for top in tops:
        _add(top, texts, below, blocks, None, seen, 1)
    return blocks


def _add(
    node: str,
    texts: dict[str, str],
    below: dict[str, list[tuple[int, str]]],
    blocks: list[FlowBlock],
    parent: FlowBlock | None,
    seen: set[str],
    depth: int,
) -> None:
    if node in seen or depth > MAX_DEPTH:
        return
    seen.add(node)
    if texts[node]:
        parent = FlowBlock(BlockType.LIST_ITEM, texts[node], level=depth, parent=parent, bullet=True)
        blocks.append(parent)
        depth += 1
    for _, child in sorted(below.get(node, [])):
        _add(child, texts, below, blocks, parent, seen, depth)
