"""Bulk work as Ray Data programs: `ray job submit -- python -m quire.cluster.jobs.<name>`."""

import sys
import warnings

from quire.cluster.interrupts import catch_interrupts

if sys.argv[:1] == ["-m"]:  # `python -m` imports a command's package before the command itself
    catch_interrupts()

if __name__ == "cluster.jobs":  # the name of 0.11 and older, from a checkout or in an image
    warnings.warn(
        "python -m cluster.jobs.… ends with Quire 0.13: use quire.cluster.jobs.…", FutureWarning, stacklevel=2
    )
