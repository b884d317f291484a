"""Ray Serve imported without pandas.

Serve imports pandas where it is installed, only to know its tables when it writes JSON; we hand it none. It is half a
CPU second and 60 MB in each of nine processes. Whoever needs pandas afterwards imports it as ever.
"""

import sys
from importlib import import_module

_SERVE = "ray.serve"


def import_serve() -> None:
    """Import Ray Serve; it finds no pandas unless that is there already."""
    if "pandas" in sys.modules:
        import_module(_SERVE)
        return
    sys.modules["pandas"] = None  # type: ignore[assignment]
    try:
        import_module(_SERVE)
    finally:
        del sys.modules["pandas"]
