"""Process for one piece of heavy work: `python -m … CPU_SECONDS BYTES`, work on standard input, result on output.

It sets its own limits before it reads the work. The kernel or a MemoryError ends a process that exceeds them.
"""

import os
import pickle
import resource
import sys
import traceback

from quire.serve_apps.api.context.limited_work import FAILED, OVER

GRACE_S = 2  # CPU seconds between the limit that asks and the one that kills


def main(cpu_s: int, memory_bytes: int) -> int:
    """Run the work read from standard input under limits and return the exit status."""
    lower_limit(resource.RLIMIT_CPU, cpu_s, cpu_s + GRACE_S)
    lower_limit(resource.RLIMIT_AS, memory_bytes, memory_bytes)
    lower_limit(resource.RLIMIT_CORE, 0, 0)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed gets into the answer
    try:
        make, value = pickle.load(sys.stdin.buffer)  # noqa: S301  (from our own parent)
        result = pickle.dumps(make(value))
    except (MemoryError, RecursionError):
        return OVER
    except Exception as error:  # its text may quote the document
        place = traceback.extract_tb(error.__traceback__)[-1]
        print(f"derivation: {type(error).__name__} at {place.filename}:{place.lineno}", file=sys.stderr)
        return FAILED
    with answers:
        answers.write(result)
    return 0


def lower_limit(kind: int, soft: int, hard: int) -> None:
    """Set the limits of this kind, or lower ones where the inherited hard limit is lower."""
    inherited = resource.getrlimit(kind)[1]
    if inherited != resource.RLIM_INFINITY:
        soft, hard = min(soft, inherited), min(hard, inherited)
    resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
