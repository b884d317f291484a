"""Which parts of a mail's body are quoted from earlier mails; plain bodies as paragraphs."""

import re
from itertools import groupby
from typing import Final

from models.cdom.flags import QUOTED
from models.cdom.tree import BlockType
from models.extract.formats.common.xml import Element
from models.extract.formats.flow.blocks import FlowBlock, StyledRun, join_runs

_ORIGINAL: Final = re.compile(
    r"^\s*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|forwarded message)\s*-{2,}\s*$", re.I
)
_MARK: Final = re.compile(r"^\s*>")
_QUOTES: Final = ("blockquote",)
_CLASSES: Final = ("gmail_quote", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote")


def read_plain(text: str) -> list[FlowBlock]:
    """Paragraphs of a plain body; quoted ones and everything after a forwarding line are flagged."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    history = next((at for at, line in enumerate(lines) if _ORIGINAL.match(line)), len(lines))
    kinds = [
        (at, line, "blank" if not line.strip() else ("quoted" if _MARK.match(line) or at >= history else "own"))
        for at, line in enumerate(lines, start=0)
    ]
    blocks: list[FlowBlock] = []
    for kind, group in groupby(kinds, key=lambda found: found[2]):
        if kind == "blank":
            continue
        part = list(group)
        shown, _ = join_runs([StyledRun("\n".join(line for _, line, _ in part))])
        first, last = part[0][0] + 1, part[-1][0] + 1
        path = f"body line {first}" if first == last else f"body lines {first}-{last}"
        if shown:
            flags = (QUOTED,) if kind == "quoted" else ()
            blocks.append(FlowBlock(BlockType.PARAGRAPH, shown, flags=flags, path=path))
    return blocks


def find_quoted(root: Element, blocks: list[FlowBlock]) -> list[FlowBlock]:
    """The blocks whose text stands in a quotation of the mail program."""
    texts: set[str] = set()
    for node in root.iter("blockquote", "div"):
        cited = node.tag == "blockquote" and (node.get("type") == "cite" or "quote" in (node.get("class") or ""))
        if cited or any(name in (node.get("class") or "") for name in _CLASSES):
            texts.add(" ".join("".join(node.itertext()).split()))
    if not texts:
        return []
    whole = "\n".join(texts)
    return [block for block in blocks if block.text and " ".join(block.text.split()) in whole]
