"""Settings from the environment and the runtime of a replica. Opens nothing."""

import os
from collections.abc import Mapping
from functools import cache

from quire.cluster.runtime import VARIABLE, Runtime, read_runtime
from quire.configs.parsing import parse_settings
from quire.configs.settings import Settings


def load_settings(environ: Mapping[str, str] | None = None, /, **chosen: object) -> Settings:
    """Return settings from the environment; command-line values win. Raises `SettingsError`."""
    return parse_settings(os.environ if environ is None else environ, **chosen)


def find_runtime() -> Runtime:
    """Return the runtime of this replica from the file its environment names.

    On a machine whose Ray was not started by `quire` it is made from the SVC_ variables. Raises `StartRefused`.
    """
    return read_runtime() if VARIABLE in os.environ else _from_environment()


@cache
def _from_environment() -> Runtime:
    from quire.cluster.bootstrap.shared_runtime import make_joined_runtime

    return make_joined_runtime(load_settings())
