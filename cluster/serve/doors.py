"""Applications next to the API: the console and the docling-serve door, each if the settings ask for it."""

from dataclasses import dataclass
from typing import Any

from ray import serve

from quire.cluster.bootstrap.installed import require_package
from quire.cluster.compose.factory import COMPAT, CONSOLE, Factory
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
        require_package("quire.serve_apps.console", "quire-console", "SVC_CONSOLE=1")
        doors.append(Door("console", settings.root_path + CONSOLE_PREFIX, CONSOLE))
    if settings.compat:
        require_package("quire.serve_apps.compat", "quire-compat", "SVC_COMPAT=1")
        doors.append(Door("compat", settings.root_path + COMPAT_PREFIX, COMPAT))
    return doors


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
