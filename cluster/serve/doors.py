"""Applications next to the API: the console and the docling-serve door, each if the settings ask for it."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from ray import serve

from quire.cluster.compose.factory import COMPAT, CONSOLE, Factory
from quire.cluster.errors import StartRefused
from quire.cluster.placement.placement import DOOR
from quire.cluster.serve.app import QUIET
from quire.configs.settings import Settings
from quire.serve_apps import deployments

CONSOLE_PREFIX, COMPAT_PREFIX = "/console", "/compat"
_FRONT: Any = deployments.Api


@dataclass(frozen=True, slots=True)
class Door:
    """One application next to the API."""

    name: str
    prefix: str
    build: Factory


def enabled_doors(settings: Settings) -> list[Door]:
    """Return the doors that the settings ask for; none by default.

    Raises:
        StartRefused: The package of a door is not installed.
    """
    doors = []
    if settings.console:
        _require("console", "SVC_CONSOLE")
        doors.append(Door("console", CONSOLE_PREFIX, CONSOLE))
    if settings.compat:
        _require("compat", "SVC_COMPAT")
        doors.append(Door("compat", COMPAT_PREFIX, COMPAT))
    return doors


def _require(name: str, setting: str) -> None:
    """Raise when an optional package, console or compat, is enabled but not installed."""
    if find_spec(f"quire.serve_apps.{name}") is None:
        raise StartRefused(f"{setting}=1 needs the package quire-{name}: pip install quire-{name}")


def hosted_targets(settings: Settings) -> list[serve.RunTarget]:
    """Return Serve's targets of the doors: on the head, which holds the engine's address and the spool folder."""
    return [
        serve.RunTarget(
            target=_FRONT.options(name=door.name, ray_actor_options=DOOR.actor_options(), logging_config=QUIET).bind(
                door.build
            ),
            name=door.name,
            route_prefix=door.prefix,
            logging_config=QUIET,
        )
        for door in enabled_doors(settings)
    ]
