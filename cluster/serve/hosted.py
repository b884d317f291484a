"""The console and the docling-serve door as applications of their own, beside the API: built only when they are wanted.

In comes a runtime; out come their web applications and what Serve is told to run. Both reach the engine over HTTP, at
this service's own address unless SVC_CONSOLE_ENGINE names another one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cluster.bootstrap.opening import find_runtime, open_runtime_store
from cluster.errors import StartRefused
from cluster.runtime import Runtime
from configs.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from serve_apps.console.context.resources import ConsoleWorker, SignUps
    from storage.store import Store

CONSOLE_PREFIX, COMPAT_PREFIX = "/console", "/compat"
MIB = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Door:
    """One application beside the API."""

    name: str
    prefix: str
    build: "Callable[[], FastAPI]"


def wanted_doors(settings: Settings) -> list[Door]:
    """Return the doors that the settings ask for, none by default.

    Raises:
        StartRefused: The package of a door is not installed.
    """
    doors = []
    if settings.console:
        _require("console", "SVC_CONSOLE")
        doors.append(Door("console", CONSOLE_PREFIX, build_console))
    if settings.compat:
        _require("compat", "SVC_COMPAT")
        doors.append(Door("compat", COMPAT_PREFIX, build_compat))
    return doors


def _require(name: str, setting: str) -> None:
    """Console and compat are packages of their own, which a deployment may leave out."""
    if find_spec(f"serve_apps.{name}") is None:
        raise StartRefused(f"{setting}=1 needs the package quire-{name}: pip install quire-{name}")


def hosted_targets(settings: Settings) -> list[Any]:
    """Serve's targets of the doors: on the head, where the engine's address and the spool folder are theirs."""
    from ray import serve

    from cluster.placement.placement import DOOR
    from cluster.serve.app import QUIET
    from serve_apps import deployments

    front: Any = deployments.Api
    return [
        serve.RunTarget(
            target=front.options(name=door.name, ray_actor_options=DOOR.actor_options(), logging_config=QUIET).bind(
                door.build
            ),
            name=door.name,
            route_prefix=door.prefix,
            logging_config=QUIET,
        )
        for door in wanted_doors(settings)
    ]


def make_console(runtime: Runtime, workers: "Callable[[Store], Sequence[ConsoleWorker]]" = lambda _: ()) -> "FastAPI":
    """The console over this deployment's database. `workers` run beside its watcher; without any, the deployment's own
    dispatcher and janitor do that work."""
    from cluster.serve.console_ports import ConsoleDatabase, ConsoleReceivers
    from serve_apps.console.app import create_console
    from serve_apps.console.context.resources import ConsoleLimits, ConsoleResources
    from serve_apps.console.sending.watcher import Watcher
    from storage.webhooks.egress import Egress

    settings, store = runtime.settings, open_runtime_store(runtime)
    url, key = settings.console_engine or runtime.base_url, engine_key(runtime)
    return create_console(
        ConsoleResources(
            database=ConsoleDatabase(store.db),
            receivers=ConsoleReceivers(store, Egress(settings.webhook_allow)),
            engine_url=url,
            engine_key=key,
            spool=settings.workdir / "console",
            public_url=settings.console_url,
            allowed_hosts=settings.allowed_hosts,
            limits=ConsoleLimits(rate_limit_rpm=settings.console_rpm, cors_origins=settings.cors_origins),
            sign_ups=sign_up_rules(settings),
            workers=(Watcher(store.db, url, key), *workers(store)),
            close=store.close,
        )
    )


def sign_up_rules(settings: Settings) -> "SignUps":
    """Who may sign up and how often, as the settings say."""
    from serve_apps.console.context.resources import SignUp, SignUps

    return SignUps(
        mode=SignUp(settings.console_sign_up.value),
        per_address=settings.console_sign_ups_per_address,
        per_hour=settings.console_sign_ups_per_hour,
        sign_ins=settings.console_sign_ins,
        trusted_proxies=settings.trusted_proxies,
    )


def make_compat(runtime: Runtime) -> "FastAPI":
    """The docling-serve door in front of this service."""
    from serve_apps.compat.app import create_compat

    return create_compat(runtime.base_url, max_upload_bytes=runtime.settings.max_upload_mb * MIB)


def engine_key(runtime: Runtime) -> str:
    """The key the console calls its engine with; the default token where there are no operator keys."""
    if runtime.settings.console_key is not None:
        return runtime.settings.console_key
    assert runtime.token_file is not None  # settings refuse a console without a key beside operator keys
    return runtime.token_file.read_text().strip()


def build_console() -> "FastAPI":
    """For a replica."""
    return make_console(find_runtime())


def build_compat() -> "FastAPI":
    """For a replica."""
    return make_compat(find_runtime())
