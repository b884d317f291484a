"""The script that Ray starts in place of a worker: it asks the template for a fork.

It becomes a worker itself without a template, or if the worker needs a separate environment. Imports nothing of ours
and nothing of Ray, because it lives for a moment, once per worker.
"""

import json
import os
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

DOOR = "QUIRE_WORKER_TEMPLATE"
"""Environment variable with the socket of the template."""
END, WILLING, AGREED = b"\n", b"?", b"!"
"""End of an order, the template's answer, and the confirmation at which it forks."""
_ANSWER_S = 20.0  # seconds for an answer: it takes milliseconds, on a loaded machine a second
_OWN = ("--worker-type=", "--language=", "--serialized-runtime-env")
"""Arguments of workers that a fork cannot be: those that spill, and those whose environment Ray has made."""


def main() -> None:
    """Return when the fork lives, or become a worker."""
    arguments = sys.argv[1:]
    if may_be_forked(arguments) and ask_template(arguments):
        return
    spec = find_spec("ray")
    assert spec is not None
    assert spec.origin is not None
    program = str(Path(spec.origin).parent / "_private" / "workers" / "default_worker.py")
    os.execv(sys.executable, [sys.executable, program, *arguments])  # noqa: S606


def may_be_forked(arguments: list[str]) -> bool:
    """Return whether this is an ordinary worker in the common environment."""
    hashes = [text for text in arguments if text.startswith("--runtime-env-hash=")]
    return not any(text.startswith(_OWN) for text in arguments) and hashes in ([], ["--runtime-env-hash=0"])


def ask_template(arguments: list[str]) -> bool:
    """Ask the template for a fork with our arguments; return whether it was made."""
    order = {"arguments": [sys.argv[0], *arguments], "environment": dict(os.environ), "folder": str(Path.cwd())}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(_ANSWER_S)
        try:
            link.connect(os.environ[DOOR])
            socket.send_fds(link, [json.dumps(order).encode() + END], [0, 1, 2])
            if link.recv(1) != WILLING:
                return False
            link.sendall(AGREED)  # not before: after a timeout this process becomes a worker itself
            return True
        except (OSError, KeyError):
            return False


if __name__ == "__main__":
    main()
