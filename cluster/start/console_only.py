"""The hosted console alone, in front of a remote engine: one process, no Ray, a separate database.

The settings name an engine and its key. The web application also watches jobs, delivers webhooks and does housekeeping.
Several machines share SVC_DATABASE_URL and SVC_SIGNING_KEY; every loop works under leases in SQL.
"""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import uvicorn

from quire.actors.background.chores import Chore, ChoreRunner
from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.cluster.bootstrap.addresses import base_url, check_address
from quire.cluster.errors import StartRefused
from quire.cluster.interrupts import undone_by
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.cluster.runtime import Runtime, keep_signing_key, write_runtime
from quire.cluster.serve.hosted import make_console
from quire.cluster.start.database import open_database
from quire.cluster.state import run_folder, running_state
from quire.configs.settings import Settings
from quire.serve_apps.api.proxy.heads import BoundedHeads
from quire.storage.access.audit import seal
from quire.storage.access.rate_limits import delete_idle_buckets
from quire.storage.objects.durable_files import replace_file
from quire.storage.postgres.leases import RoleLease
from quire.storage.values.ids import new_worker_id
from quire.storage.webhooks.egress import Egress
from quire.storage.webhooks.outbox import StoreOutbox

if TYPE_CHECKING:
    from fastapi import FastAPI

    from quire.serve_apps.console.context.resources import ConsoleWorker
    from quire.storage.store import Store

log = logging.getLogger("quire.console")


def prepare_console(settings: Settings) -> Runtime:
    """Prepare database, schema and secrets in the workdir. Raises `StartRefused`."""
    if not settings.console_engine or not settings.console_key:
        raise StartRefused("the separate console needs SVC_CONSOLE_ENGINE (or --engine) and SVC_CONSOLE_KEY")
    if running_state(settings.workdir) is not None:
        raise StartRefused(f"a whole service runs in {settings.workdir}: SVC_CONSOLE=1 serves its console")
    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    check_address(settings)
    dsn, run = open_database(settings).dsn, run_folder(settings.workdir)
    replace_file(run / "dsn", dsn.encode())
    runtime = Runtime(
        settings=settings,
        dsn=dsn,
        dsn_file=run / "dsn",
        base_url=base_url(settings),
        license_file=settings.workdir / "license.token",  # the engine's affair: nothing is read here
        signing_key=keep_signing_key(settings),
    )
    write_runtime(runtime)
    return runtime


def make_console_alone(runtime: Runtime) -> "FastAPI":
    """Return the console with the background work that a whole deployment would do for it."""
    return make_console(runtime, lambda store: _workers(runtime, store))


def serve_console(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM, then stop an embedded database that was started here. Raises `StartRefused`."""
    embedded = None if settings.database_url else EmbeddedPostgres(settings.workdir)
    with undone_by(lambda: embedded.kill() if embedded is not None else None):
        runtime = prepare_console(settings)
        try:
            app = make_console_alone(runtime)
            config = uvicorn.Config(
                app,
                host=settings.host,
                port=settings.port,
                http=BoundedHeads,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
            )
            log.info("the console is at %s", runtime.base_url)
            uvicorn.Server(config).run()
        finally:
            if embedded is not None:
                embedded.stop()


def _workers(runtime: Runtime, store: "Store") -> "Sequence[ConsoleWorker]":
    chores = [
        Chore(name="seal audit", every_s=2, run=lambda: seal(store.db)),
        Chore(name="delete rate limits", every_s=600, run=lambda: delete_idle_buckets(store.db)),
    ]
    return (
        Dispatcher(StoreOutbox(store, new_worker_id()), Egress(runtime.settings.webhook_allow).post),
        ChoreRunner(RoleLease(store.db, "janitor", new_worker_id(), ttl_s=30), chores),
    )
