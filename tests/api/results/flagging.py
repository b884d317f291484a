"""Scans that a separate process can import without the API."""

import re
import time

from quire.models.cdom.tree import Tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.kinds import Hit, Kind

NAME = "Maria Oberhauser"


class Names:
    """Finds one name wherever it stands."""

    name, version = "names", "1"

    def detect(self, text: str) -> list[Hit]:
        return [Hit(Kind.PERSON, found.start(), found.end()) for found in re.finditer(NAME, text)]


def flag_names(tree: Tree) -> Tree:
    return flag_tree(tree, Names())


def flag_slowly(tree: Tree) -> Tree:
    time.sleep(2)
    return flag_names(tree)


def burn(tree: Tree) -> Tree:
    while True:
        tree.blocks[0].text.count("a")
