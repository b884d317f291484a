"""Select the blocks that a reader of the original sees, and their flow. Every export and derivation uses it.

Tree in; blocks in reading order and the count of what is left out, by reason, come out. `flow_blocks` joins paragraphs
that a column, a page or a float splits. The tree itself keeps every part on its page.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import FURNITURE, Block, BlockId, BlockType, Tree

_JOINED = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM})
_PASSED = frozenset({BlockType.FOOTNOTE, BlockType.CAPTION, BlockType.TABLE, BlockType.PICTURE})
"""Block types that may occur between the parts of a paragraph; the whole paragraph is read first."""
_DIVIDED = re.compile(r"[^\W\d_][-‐]\Z")
_TIED = re.compile(r"\w[-‐]\Z")
_LAST = re.compile(r"[\w’'-]+\Z")
_FIRST = re.compile(r"[\w’'-]+")


def is_hidden(block: Block) -> bool:
    """Return whether the block's text is in the file but not seen on its page."""
    return HIDDEN_TEXT in block.flags


def visible_blocks(tree: Tree, *, furniture: bool = False) -> list[Block]:
    """Return the visible blocks in reading order, running heads and feet only with `furniture`.

    In a document of running heads alone, these are its text and are returned.
    """
    seen = [block for block in tree.blocks if not is_hidden(block)]
    return seen if furniture else [block for block in seen if block.type not in FURNITURE] or seen


def count_left_out(tree: Tree, *, furniture: bool = False) -> Mapping[str, int]:
    """Blocks that `visible_blocks` leaves out, by reason: `hidden-text`, `page_header`, `page_footer`."""
    shown = {block.id for block in visible_blocks(tree, furniture=furniture)}
    missing = (block for block in tree.blocks if block.id not in shown)
    return dict(sorted(Counter(HIDDEN_TEXT if is_hidden(block) else block.type.value for block in missing).items()))


@dataclass(frozen=True, slots=True)
class FlowingBlock:
    """`whole` has the text of all `parts`, the first part's id, place and type; `starts`: where each part begins."""

    whole: Block
    parts: tuple[Block, ...]
    starts: tuple[int, ...] = (0,)


def flow_blocks(blocks: Sequence[Block], *, as_printed: bool = False) -> list[FlowingBlock]:
    """Return the blocks in reading order, with all parts of a paragraph in the place of its first part.

    Running heads end a paragraph, because callers that keep them read page by page. With `as_printed` every block ends
    one, so that notes and floats stay between the parts as on the page.
    """
    passed = frozenset[BlockType]() if as_printed else _PASSED
    groups: list[list[Block]] = []
    ends: dict[BlockId, int] = {}
    for block in blocks:
        group_index = ends.get(block.continues) if block.continues is not None and block.type in _JOINED else None
        if group_index is not None and all(group[0].type in passed for group in groups[group_index + 1 :]):
            groups[group_index].append(block)
        else:
            group_index = len(groups)
            groups.append([block])
        if block.type in _JOINED:
            ends[block.id] = group_index
        elif block.type in FURNITURE:
            ends.clear()
    text = ""
    if any(len(group) > 1 for group in groups):
        text = "\n".join([block.text for block in blocks]).lower()
    return [FlowingBlock(group[0], (group[0],)) if len(group) == 1 else _join(group, text) for group in groups]


_WIDE = (
    "\u2e80-\u3130\u3190-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003ffff"
)
"""Han, kana, their punctuation and full-width forms. Not Hangul, because Korean has blanks between words."""
_WIDE_CHARACTER = re.compile(f"[{_WIDE}]")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer."""
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318f\uac00-\ud7ff]")
_SPACED = re.compile(f"[{_WIDE}] [A-Za-z0-9]|[A-Za-z0-9] [{_WIDE}]")
"""A blank between a wide character and a Latin one, as some typesetters set it."""


def is_wide(text: str) -> bool:
    """Return whether a text begins with a Chinese or Japanese character."""
    return text[:1] > "\u2e7f" and _WIDE_CHARACTER.match(text) is not None


def find_blank(text: str, following: str) -> str:
    """Return the text that joins two lines of running text.

    It is a blank, or nothing next to a Chinese or Japanese character, and between those of scripts without blanks
    between words.
    """
    last, first = text[-1:], following[:1]
    if first > "\u0dff" and _UNSPACED.match(first) and _UNSPACED.match(last):
        return ""
    if not (is_wide(last) or is_wide(first)) or _HANGUL.match(last) or _HANGUL.match(first):
        return " "
    if is_wide(last) and is_wide(first):
        return ""
    return " " if _SPACED.search(text) or _SPACED.search(following) else ""


def join_text(first: str, second: str, text: str = "") -> str:
    """Join two parts of a paragraph; remove the hyphen of a split word unless `text` has the hyphenated word."""
    if not _TIED.search(first) or not second[:1].isalnum():
        return f"{first}{find_blank(first, second)}{second}"
    divided = _DIVIDED.search(first) is not None and first[-2].islower() and second[0].islower()
    return (first[:-1] if divided and not _has_hyphen(first, second, text) else first) + second


def _has_hyphen(first: str, second: str, text: str) -> bool:
    """Return whether the text has the word only in its hyphenated form."""
    last, beginning = _LAST.search(first), _FIRST.match(second)
    if last is None or beginning is None:
        return False
    linked = (last.group() + beginning.group()).lower()
    return linked in text and (last.group()[:-1] + beginning.group()).lower() not in text


def _join(group: list[Block], text: str) -> FlowingBlock:
    whole = group[0]
    starts = [0]
    for part in group[1:]:
        joined = join_text(whole.text, part.text, text)
        by = len(joined) - len(part.text)
        whole = replace(
            whole,
            text=joined,
            spans=(
                *(replace(span, end=min(span.end, by)) for span in whole.spans),
                *(replace(span, start=span.start + by, end=span.end + by) for span in part.spans),
            ),
        )
        starts.append(by)
    return FlowingBlock(whole, tuple(group), tuple(accumulate(starts, max)))
