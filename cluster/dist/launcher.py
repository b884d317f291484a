"""The installed server: its code stands in one folder here, because `models` and `storage` are names others have too.

This file becomes `quire_server/__init__.py` of the wheel; `app` beside it is laid out like a checkout.
"""

import importlib
import sys
from pathlib import Path

APP = Path(__file__).resolve().parent / "app"


def main() -> None:
    """The console script `quire`."""
    sys.path.insert(0, str(APP))
    importlib.import_module("cluster.cli.main").main()
