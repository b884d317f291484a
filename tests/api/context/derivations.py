"""What tests have a process of limited work do: here alone, for the process imports the module of what it is given."""

import os
import time

from models.cdom.tree import Tree


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
