"""The word between `up` and the supervisor: started at once, it imports while the database comes up, then waits.

The pipe that is its standard input says the rest: a byte when the workdir is prepared, an end when it never will be.
"""

import os
import sys
from typing import IO

WAIT = "--wait"
"""The argument of a supervisor that is started before the workdir is prepared."""
_GO = b"."


def give_go_ahead(pipe: IO[bytes]) -> None:
    """The workdir is prepared."""
    pipe.write(_GO)
    pipe.close()


def wait_for_go_ahead() -> bool:
    """False when whoever started us ended, or gave up, without a word. Standard input is empty afterwards."""
    told = os.read(sys.stdin.fileno(), 1) == _GO
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return told
