"""Functions that tests run in a limited-work process, alone here because the process imports their module."""

import os
import time

from quire.models.cdom.tree import Tree


def tell_process(tree: Tree) -> int:
    return os.getpid()


def burn(tree: Tree) -> None:
    until = time.process_time() + 600
    while time.process_time() < until:
        pass


def fill(tree: Tree) -> int:
    return len(bytearray(8 << 30))


def stumble(tree: Tree) -> None:
    raise KeyError(tree.blocks[0].text)
