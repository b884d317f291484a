"""The values of a plan, looked for in what was made: as letters in texts, as written in bytes."""

import re
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from quire.models.cdom.tree import Tree
from quire.models.pii.letters import letters
from quire.models.redaction.planning.plan import RedactionPlan

LEAST_IN_BYTES = 6
"""Letters from which a value is searched in raw bytes: shorter ones occur in any font program."""
WORD_BOUND = 6
"""Letters below which a value is only searched as a separate word."""
LEAST_TORN = 10
"""Letters from which a value is looked for over the ends of texts: figures side by side make any shorter one."""
_BETWEEN = r"[\W_]*"
_HEAD = 6
"""Bytes of a value by which places where it may stand are found at once; no value looked for has fewer."""
_PIECE = 1 << 20
"""Bytes looked at together: eight times as much memory is used."""


class Search:
    """The values of a plan, looked for in any writing: as letters in texts, as written in bytes."""

    def __init__(self, plan: RedactionPlan) -> None:
        self._long = sorted(needle for needle in plan.needles if len(needle) >= WORD_BOUND)
        self._torn = [needle for needle in self._long if len(needle) >= LEAST_TORN]
        short = sorted(needle for needle in plan.needles if len(needle) < WORD_BOUND)
        spaced = "|".join(_BETWEEN.join(map(re.escape, folded)) for folded in short)
        self._short = re.compile(rf"(?<!\w)(?:{spaced})(?!\w)") if short else None
        folded_values = {value.strip(): letters(value) for value in plan.values}
        written = [
            value for value, folded in folded_values.items() if len(folded) >= LEAST_IN_BYTES and folded in plan.needles
        ]
        self._bytes = _WrittenForms({form for value in written for form in _forms(value)})

    def in_text(self, text: str) -> bool:
        """Return whether the text holds a value."""
        return self.in_folded(text, letters(text))

    def in_folded(self, text: str, folded: str) -> bool:
        """In a text of which the letters are known."""
        if self._in_letters(folded, self._long):
            return True
        return self._short is not None and self._short.search(text.casefold()) is not None

    def in_joined(self, folded: Iterable[str]) -> bool:
        """Return whether the joined texts (as letters) hold a value long enough to exclude chance."""
        return self._in_letters("".join(folded), self._torn)

    @staticmethod
    def _in_letters(folded: str, needles: list[str]) -> bool:
        return any(needle in folded for needle in needles)

    def in_bytes(self, content: bytes) -> bool:
        """Return whether the bytes hold a value in any written form."""
        return self._bytes.occur_in(content)


class _WrittenForms:
    """Many strings of bytes, looked for together: in one pass by their heads, then each where its head stands."""

    def __init__(self, forms: set[bytes]) -> None:
        self._by_head: dict[int, list[bytes]] = {}
        for form in sorted(forms):
            self._by_head.setdefault(int.from_bytes(form[:_HEAD]), []).append(form)
        self._heads = np.array(sorted(self._by_head), dtype=np.uint64)

    def occur_in(self, content: bytes) -> bool:
        """ASCII letters are compared without case."""
        lowered = content.lower()
        if not self._by_head:
            return False
        return any(self._occur_in_piece(lowered, offset) for offset in range(0, len(lowered), _PIECE))

    def _occur_in_piece(self, content: bytes, start: int) -> bool:
        heads = _heads_of(content[start : start + _PIECE + _HEAD - 1])
        near = np.minimum(np.searchsorted(self._heads, heads), len(self._heads) - 1)
        return any(
            content.startswith(form, start + int(index))
            for index in np.flatnonzero(self._heads[near] == heads)
            for form in self._by_head[int(heads[index])]
        )


def _heads_of(piece: bytes) -> npt.NDArray[np.uint64]:
    """Return the big-endian number of the `_HEAD` bytes at each offset."""
    values = np.frombuffer(piece, dtype=np.uint8).astype(np.uint64)
    count = max(0, len(values) - _HEAD + 1)
    heads = np.zeros(count, dtype=np.uint64)
    for offset in range(_HEAD):
        heads = (heads << np.uint64(8)) | values[offset : offset + count]
    return heads


def _forms(value: str) -> Iterator[bytes]:
    """As files write it, in lower case where a byte is an ASCII letter."""
    for form in {value, value.casefold(), value.upper()}:
        yield form.encode("utf-8").lower()
        yield form.encode("utf-16-be").lower()
        yield form.encode("utf-16-le").lower()
        yield form.encode("utf-16-be").hex().encode()


def texts_of_tree(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield (place, text) for the metadata and the blocks of a tree."""
    facts = tree.metadata
    yield (
        "metadata",
        "\n".join(filter(None, (facts.title, facts.author, facts.created, facts.modified, facts.language))),
    )
    for block in tree.blocks:
        place = f"page {block.page}"
        yield place, block.text
        yield place, "\n".join(span.href for span in block.spans if span.href)
        for cell in block.table.cells if block.table is not None else ():
            yield place, "\n".join([cell.text, *(span.href for span in cell.spans if span.href)])
