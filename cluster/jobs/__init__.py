"""Bulk work as Ray Data programs: `ray job submit -- python -m cluster.jobs.<name>`."""

import sys

from cluster.interrupts import catch_interrupts

if sys.argv[:1] == ["-m"]:  # `python -m` imports a command's package before the command itself
    catch_interrupts()
