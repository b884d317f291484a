"""Writes a tree as a Markdown digest for a language model: outline and content within a token budget.

Content is in reading order. Hidden text and furniture are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.cdom.visible import count_left_out, visible_blocks
from quire.models.export.markdown import markdown_parts
from quire.models.export.markdown_inline import one_line
from quire.models.export.markdown_tables import TableStyle

DEFAULT_TOKENS = 4000  # half of a small model's window
OUTLINE_SHARE = 4
"""The outline gets at most a quarter of the budget; the deepest headings are left out first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """Numbers of sections that are missing from the content, and of blocks that are missing or cut."""

    sections: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextDigest:
    """A digest: `tokens` counts `markdown` and is at most `max_tokens`."""

    max_tokens: int
    tokens: int
    truncated: bool
    omitted: Omitted
    markdown: str
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Numbers of blocks left out by reason: `hidden-text`, `page_header`, `page_footer`."""


def tree_to_context(tree: Tree, *, tokenizer: Tokenizer, max_tokens: int = DEFAULT_TOKENS) -> ContextDigest:
    """Return the digest of a document.

    Blocks are taken in reading order while they fit. The first that does not fit is cut at a word, a table at a row.
    """
    blocks, left_out = visible_blocks(tree), count_left_out(tree)
    parts = [(part.block, part.text) for part in markdown_parts(tree, furniture=False, tables=TableStyle.PIPE)]
    tokenizer.count("\n".join(text for _, text in parts))
    for share in (1, OUTLINE_SHARE):
        outline = _outline(blocks, max_tokens // share, tokenizer)
        whole = "\n\n".join([*outline, *(text for _, text in parts)])
        tokens = tokenizer.count(whole)
        if tokens <= max_tokens:
            return ContextDigest(
                max_tokens=max_tokens,
                tokens=tokens,
                truncated=False,
                omitted=Omitted(),
                markdown=whole,
                left_out=left_out,
            )
    return replace(_cut(parts, outline, max_tokens, tokenizer), left_out=left_out)


def _cut(
    parts: Sequence[tuple[Block, str]], outline: list[str], max_tokens: int, tokenizer: Tokenizer
) -> ContextDigest:
    longest_note = _note(Omitted(sections=len(parts), blocks=len(parts)), len(parts), len(parts))
    noted = max_tokens >= 3 * tokenizer.count(longest_note)
    budget = max_tokens - (tokenizer.count(longest_note) if noted else 0) - sum(map(tokenizer.count, outline))
    kept: list[str] = []
    whole = 0
    for _, text in parts:
        size = tokenizer.count(text)
        if size > budget:
            kept += [part] if (part := cut_markdown(text, budget, tokenizer)) else []
            break
        kept.append(text)
        budget -= size
        whole += 1
    omitted = Omitted(sections=_sections([block for block, _ in parts[len(kept) :]]), blocks=len(parts) - whole)
    note = [_note(omitted, _sections([block for block, _ in parts]), len(parts))] if noted else []
    markdown = "\n\n".join([*outline, *kept, *note])
    return ContextDigest(
        max_tokens=max_tokens, tokens=tokenizer.count(markdown), truncated=True, omitted=omitted, markdown=markdown
    )


def _sections(blocks: Sequence[Block]) -> int:
    return sum(_is_heading(block) for block in blocks)


def _is_heading(block: Block) -> bool:
    return block.type in (BlockType.TITLE, BlockType.HEADING)


def _note(omitted: Omitted, sections: int, blocks: int) -> str:
    return f"[Cut: {omitted.sections} of {sections} sections and {omitted.blocks} of {blocks} blocks are left out.]"


def _outline(blocks: Sequence[Block], budget: int, tokenizer: Tokenizer) -> list[str]:
    """Return the headings as a nested list, as deep as the budget allows; nothing for fewer than two headings."""
    heads = [(_level(block), one_line(block.text)) for block in blocks if _is_heading(block) and block.text.strip()]
    for deepest in sorted({level for level, _ in heads}, reverse=True):
        shown = [(level, text) for level, text in heads if level <= deepest]
        text = "\n".join(["Outline:", "", *(f"{'  ' * level}- {title}" for level, title in shown)])
        if len(shown) > 1 and tokenizer.count(text) <= budget:
            return [text]
    return []


def _level(block: Block) -> int:
    return 0 if block.type is BlockType.TITLE else min(6, block.level or 1)


def cut_markdown(text: str, budget: int, tokenizer: Tokenizer) -> str:
    """Return the beginning of `text` within `budget` tokens: whole lines, else whole words; "" when nothing fits."""
    is_code = text.startswith("```")
    closing = "\n```" if is_code else "\n…"
    room = budget - tokenizer.count(closing)
    lines, kept, left = text.split("\n"), 0, room
    while kept < len(lines) and (left := left - tokenizer.count(lines[kept])) >= 0:
        kept += 1
    if text.startswith("$$") or (is_code and kept < 2):  # half a formula is not readable, nor an empty listing
        return ""
    if is_code or (kept and text.startswith("|")):
        return "\n".join(lines[: min(kept, len(lines) - 1) if is_code else kept]) + closing
    end = max((end for _, end in islice(tokenizer.offsets(text), max(0, room))), default=0)
    space = text.rfind(" ", 0, end + 1)
    return f"{text[:space].rstrip()} …" if space > 0 else ""
