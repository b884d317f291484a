"""Names of members of packages, as they are compared."""

import re
from typing import Final

_START: Final = re.compile(r"(?:\.?/)+")


def clean_name(name: str) -> str:
    """Return a member's name with slashes and without a leading `/` or `./`, which some programs write."""
    name = name.replace("\\", "/")
    match = _START.match(name)
    return name[match.end() :] if match else name
