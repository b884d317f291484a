"""The process that searches long documents for personal data: `python -m quire.actors.reader.scan_worker DESCRIPTOR`.

In: the function that flags trees, then one tree as JSON at a time. Out: the flagged tree as JSON. It runs with low
priority and under limits on CPU time and memory; the kernel ends it when a document exceeds them.
"""

import os
import pickle
import resource
import signal
import socket
import sys
import traceback

from quire.actors.sandbox.lockdown import IS_LINUX, cap_limit, cpu_used_s, lower_limit
from quire.actors.sandbox.prctl import PR_SET_PDEATHSIG, prctl
from quire.models.cdom.tree import dump_tree, load_tree
from quire.models.pii.flagging.windows import MOST_CPU_S

NICE = 10  # steps of priority below the service, which answers callers
MEMORY_BYTES = 4 << 30  # of address space: the model of names and the tree of a document of 5,000 pages
GRACE_CPU_S = 30.0  # CPU seconds for loading the model and parsing a tree, in addition to the scan's own budget


def main(descriptor: int) -> None:
    """Answer requests until the parent closes the channel."""
    if IS_LINUX:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(NICE)
    lower_limit(resource.RLIMIT_AS, MEMORY_BYTES)
    lower_limit(resource.RLIMIT_CORE, 0)
    with socket.socket(fileno=descriptor) as channel, channel.makefile("rwb") as stream:
        flag_tree = pickle.load(stream)  # noqa: S301  (from our own parent)
        while True:
            try:
                tree_json = pickle.load(stream)  # noqa: S301
            except EOFError:
                return
            end_s = cap_limit(resource.RLIMIT_CPU, int(cpu_used_s() + MOST_CPU_S + GRACE_CPU_S))
            resource.setrlimit(resource.RLIMIT_CPU, (end_s, resource.getrlimit(resource.RLIMIT_CPU)[1]))
            pickle.dump(dump_tree(flag_tree(load_tree(tree_json))), stream)
            stream.flush()


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except Exception as error:  # its text may quote the document
        frame = traceback.extract_tb(error.__traceback__)[-1]
        sys.exit(f"scan: {type(error).__name__} at {frame.filename}:{frame.lineno}")
