"""The `quire` command, one module per command."""

import sys

from quire.cluster.interrupts import catch_interrupts

program = (sys.argv or [""])[0]
if program == "-m" or program.endswith("/quire"):  # before the imports of the command, which take longest
    catch_interrupts()
