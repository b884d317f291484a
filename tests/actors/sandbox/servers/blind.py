"""A fork server that cannot open files after dropping its privileges, as in another user's home."""

import sys
from typing import NoReturn

from quire.actors.sandbox import server


def main(control: int, limits_json: str) -> NoReturn:
    server.drop_privileges = _go_blind
    server.main(control, limits_json)


def _go_blind() -> bool:
    sys.path[:] = []
    sys.path_importer_cache.clear()
    for name, module in list(sys.modules.items()):
        if hasattr(module, "__path__"):
            sys.modules[name].__path__ = []
    return True
