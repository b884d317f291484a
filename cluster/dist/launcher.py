"""Starts the installed server: keeps its code in one folder, because `models` and `storage` are common package names.

This file becomes `quire_server/__init__.py` of the wheel; `app` next to it is laid out like a checkout.
"""

import importlib
import sys
from pathlib import Path

APP = Path(__file__).resolve().parent / "app"


def main() -> None:
    """The console script `quire`."""
    sys.path.insert(0, str(APP))
    importlib.import_module("cluster.cli.main").main()
