"""The start signal from `up` to the supervisor, which imports while the database starts and then waits.

The pipe of its standard input carries a byte when the workdir is prepared; it is closed if the start is given up.
"""

import os
import sys
from typing import IO

WAIT = "--wait"
"""The argument of a supervisor that is started before the workdir is prepared."""
_GO = b"."


def give_go_ahead(pipe: IO[bytes]) -> None:
    """Signal that the workdir is prepared."""
    pipe.write(_GO)
    pipe.close()


def wait_for_go_ahead() -> bool:
    """Wait for the signal; False if the starting process ended or gave up. Standard input is empty afterwards."""
    is_prepared = os.read(sys.stdin.fileno(), 1) == _GO
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return is_prepared
