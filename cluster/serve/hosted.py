"""The web application of the console: imported only where it runs, and only with the package `quire-console`.

It reaches the engine over HTTP, at this service's own address unless SVC_CONSOLE_ENGINE names another one.
"""

from collections.abc import Callable, Sequence

from fastapi import FastAPI

from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.runtime import Runtime
from quire.cluster.serve.console_ports import ConsoleDatabase, ConsoleReceivers
from quire.configs.settings import Settings
from quire.serve_apps.console.app import create_console
from quire.serve_apps.console.context.resources import ConsoleLimits, ConsoleResources, ConsoleWorker, SignUp, SignUps
from quire.serve_apps.console.sending.watcher import Watcher
from quire.storage.store import Store
from quire.storage.webhooks.egress import Egress


def make_console(runtime: Runtime, workers: Callable[[Store], Sequence[ConsoleWorker]] = lambda _: ()) -> FastAPI:
    """Return the console over this deployment's database.

    `workers` run in addition to its watcher; without any, the deployment's dispatcher and janitor do that work.
    """
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


def sign_up_rules(settings: Settings) -> SignUps:
    """Return the rules and limits of sign-ups."""
    return SignUps(
        mode=SignUp(settings.console_sign_up.value),
        per_address=settings.console_sign_ups_per_address,
        per_hour=settings.console_sign_ups_per_hour,
        sign_ins=settings.console_sign_ins,
        trusted_proxies=settings.trusted_proxies,
    )


def engine_key(runtime: Runtime) -> str:
    """Return the key with which the console calls its engine; the default token without operator keys."""
    if runtime.settings.console_key is not None:
        return runtime.settings.console_key
    assert runtime.token_file is not None  # settings with operator keys refuse a console without a key
    return runtime.token_file.read_text().strip()


def build_console() -> FastAPI:
    """Build the console of a replica."""
    return make_console(find_runtime())
