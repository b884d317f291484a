"""The values of a plan, looked for in what was made: as letters in texts, as written in bytes."""

import re
from collections.abc import Iterator

from models.cdom.tree import Tree
from models.pii.letters import letters
from models.redaction.planning.plan import RedactionPlan

LEAST_IN_BYTES = 6
"""Letters from which a value is looked for in raw bytes: shorter ones stand in any font program."""
WORD_BOUND = 6
"""Letters below which a value is only looked for as a word of its own."""
_BETWEEN = r"[\W_]*"


class Search:
    """The values of a plan, looked for in any writing: as letters in texts, as written in bytes."""

    def __init__(self, plan: RedactionPlan) -> None:
        self._long = sorted(needle for needle in plan.needles if len(needle) >= WORD_BOUND)
        short = sorted(needle for needle in plan.needles if len(needle) < WORD_BOUND)
        spaced = "|".join(_BETWEEN.join(map(re.escape, one)) for one in short)
        self._short = re.compile(rf"(?<!\w)(?:{spaced})(?!\w)") if short else None
        written = {
            value.strip()
            for value in plan.values
            if len(letters(value)) >= LEAST_IN_BYTES and letters(value) in plan.needles
        }
        forms = {form for value in written for form in _forms(value)}
        self._bytes = re.compile(b"|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None

    def in_text(self, text: str) -> bool:
        folded = letters(text)
        if any(needle in folded for needle in self._long):
            return True
        return self._short is not None and self._short.search(text.casefold()) is not None

    def in_bytes(self, content: bytes) -> bool:
        return self._bytes is not None and self._bytes.search(content) is not None


def _forms(value: str) -> Iterator[bytes]:
    for one in {value, value.casefold(), value.upper()}:
        yield one.encode("utf-8")
        yield one.encode("utf-16-be")
        yield one.encode("utf-16-le")
        yield one.encode("utf-16-be").hex().encode()
        yield one.encode("utf-16-be").hex().upper().encode()


def texts_of_tree(tree: Tree) -> Iterator[tuple[str, str]]:
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
            yield place, cell.text
