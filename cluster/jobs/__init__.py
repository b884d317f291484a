"""Bulk work as Ray Data programs: `ray job submit -- python -m quire.cluster.jobs.<name>`."""

import sys

from quire.cluster.interrupts import catch_interrupts

if sys.argv[:1] == ["-m"]:  # `python -m` imports a command's package before the command itself
    catch_interrupts()
