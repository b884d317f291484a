"""Example plugin with one export and one detector. Install it next to the service and name both in SVC_PLUGINS."""

import re

from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export import Export
from quire.models.pii.kinds import Hit, Kind

_STAFF_NUMBER = re.compile(r"\bEMP-\d{6}\b")


def write_outline(tree: Tree, tokenizer: Tokenizer) -> str:
    """Headings, two spaces deeper per level."""
    headings = (block for block in tree.blocks if block.type in (BlockType.TITLE, BlockType.HEADING))
    return "".join(f"{'  ' * max(0, (block.level or 1) - 1)}{block.text}\n" for block in headings)


OUTLINE = Export(media_type="text/plain; charset=utf-8", suffix="txt", write=write_outline)


class StaffNumbers:
    """Finds numbers such as EMP-123456."""

    name = "staff-numbers"
    version = "1.0"

    def detect(self, text: str) -> list[Hit]:
        return [Hit(Kind.NATIONAL_ID, found.start(), found.end()) for found in _STAFF_NUMBER.finditer(text)]
