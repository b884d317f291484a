"""Lists of HTML: the number or letter of an item, and lists of terms."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from models.extract.formats.common.xml import Element
from models.extract.formats.flow.counting import alphabetic, natural, roman

MAX_LEVEL: Final = 20
"""The deepest list level that is told; deeper items count as this deep."""


@dataclass(slots=True)
class OpenList:
    """An open list: `number` of its next item and how it is written (`type` of HTML); bullets have none."""

    ordered: bool
    number: int = 1
    style: str = "1"

    def next_label(self, item: Element) -> str:
        """What stands before this item ("3.", "c."), "" before a bullet; the count goes on from it."""
        if not self.ordered:
            return ""
        number = natural(item.get("value"), self.number)
        self.number = number + 1
        text = {
            "a": alphabetic(number),
            "A": alphabetic(number).upper(),
            "i": roman(number),
            "I": roman(number).upper(),
        }
        return text.get(self.style, str(number)) + "."


def open_list(node: Element) -> OpenList:
    """The state of a list before its first item."""
    return OpenList(node.tag == "ol", natural(node.get("start"), 1), node.get("type") or "1")


def find_terms(node: Element) -> Iterator[Element]:
    """`dt` and `dd` of a list, also those that are grouped in `div`."""
    for child in node:
        if child.tag in ("dt", "dd"):
            yield child
        elif child.tag == "div":
            yield from (one for one in child if one.tag in ("dt", "dd"))
