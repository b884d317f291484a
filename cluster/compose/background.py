"""The replica that works in the background: housekeeping, webhooks, targets, pages on demand and the index writer."""

from datetime import UTC, datetime
from functools import partial

from quire.actors.background.chores import Chore, ChoreRunner
from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.actors.background.worker_group import Loop, WorkerGroup
from quire.actors.search.index_writer import IndexWriting
from quire.cluster.bootstrap.enabled import searches
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.bootstrap.opening import hold_license, open_runtime_store
from quire.cluster.compose.handles import ServedRecogniser
from quire.cluster.compose.reading import make_on_demand
from quire.cluster.compose.recognition import with_vlm
from quire.cluster.compose.source_sync import BackgroundTask, sync_due
from quire.cluster.compose.targets import make_target_sender
from quire.cluster.compose.values import api_limits, read_options, source_gate
from quire.cluster.runtime import Runtime
from quire.configs.settings import Settings
from quire.serve_apps.access.development import development_license
from quire.serve_apps.deployments import BackgroundWork
from quire.storage.access.audit import seal
from quire.storage.access.rate_limits import delete_idle_buckets
from quire.storage.access.signed_heads import SignedHeads
from quire.storage.jobs.idempotency import delete_old_keys
from quire.storage.postgres.leases import RoleLease
from quire.storage.postgres.vacuum_full import Scrubber
from quire.storage.queue.clock import heal_clock
from quire.storage.queue.counters import fold_counters
from quire.storage.queue.usage import check_clock, fold_quota
from quire.storage.sources.removed_files import delete_retired
from quire.storage.sources.sync import Reading
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from quire.storage.upkeep.reconcile import reconcile_and_log
from quire.storage.upkeep.retention import delete_expired
from quire.storage.values.ids import new_worker_id
from quire.storage.values.rows import PageQuota
from quire.storage.webhooks.egress import Egress
from quire.storage.webhooks.outbox import StoreOutbox
from quire.storage.webhooks.receivers import erase_old_secrets

REPEATED_S = 86_400.0  # seconds for which a client may repeat a submission with its key: a day, as is usual
ORPHAN_S = 3600.0  # seconds for which a file without a row may be an upload in progress


def make_janitor(runtime: Runtime) -> ChoreRunner:
    """Return the housekeeping of the whole deployment, guarded by the lease of its role."""
    store, license, gate = open_runtime_store(runtime), hold_license(runtime), source_gate(runtime.settings)

    heads = SignedHeads(runtime.settings.workdir, store.signer)

    def reading() -> Reading:
        license.refresh()
        license.require_intake()
        quota = PageQuota(max_pages_per_month=license.current.max_pages_per_month)
        return Reading(
            options=read_options(runtime.settings), quota=quota, cap_bytes=api_limits(runtime.settings).org_disk_bytes
        )

    chores = [
        Chore(name="seal audit", every_s=2, run=lambda: seal(store.db)),
        Chore(name="sign audit heads", every_s=60, run=lambda: heads.sign(store.db)),
        Chore(name="fold quota", every_s=5, run=lambda: fold_quota(store.db)),
        Chore(name="fold counters", every_s=5, run=lambda: fold_counters(store.db)),
        Chore(name="sweep partial uploads", every_s=600, run=lambda: store.blobs.sweep(ORPHAN_S)),
        Chore(name="sweep direct uploads", every_s=600, run=partial(_sweep_direct_uploads, store, runtime.settings)),
        Chore(name="reconcile", every_s=3600, run=BackgroundTask(lambda: reconcile_and_log(store, grace_s=ORPHAN_S))),
        Chore(name="delete idempotency keys", every_s=3600, run=lambda: delete_old_keys(store.db, REPEATED_S)),
        Chore(name="delete retired", every_s=30, run=lambda: delete_retired(store.db)),
        Chore(name="sync sources", every_s=30, run=BackgroundTask(lambda: sync_due(store, gate, reading))),
        Chore(name="delete rate limits", every_s=600, run=lambda: delete_idle_buckets(store.db)),
        Chore(name="delete old secrets", every_s=600, run=lambda: erase_old_secrets(store.db)),
        Chore(name="watch clock", every_s=60, run=lambda: check_clock(store.db)),
        Chore(name="heal clock", every_s=30, run=partial(_heal, store, runtime.settings)),
    ]
    if not searches(runtime.settings):  # else the index writer purges, because the index must be erased first
        chores.append(Chore(name="purge", every_s=5, run=lambda: purge_some(store)))
    if runtime.settings.database_url is None:
        chores.append(Chore(name="scrub", every_s=15, run=Scrubber(store.db).run))
    if runtime.settings.license is None:
        chores.append(Chore(name="renew development licence", every_s=6 * 3600, run=partial(_renew, runtime)))
    if days := runtime.settings.retention_days:
        chores.append(Chore(name="retention", every_s=60, run=lambda: delete_expired(store.db, days)))
    return ChoreRunner(RoleLease(store.db, "janitor", new_worker_id(), ttl_s=30), chores, close=store.close)


def _sweep_direct_uploads(store: Store, settings: Settings) -> None:
    """Delete files that no submission can name any more, with room for one that is being read."""
    if store.uploads is not None:
        store.uploads.sweep(settings.upload_url_s + ORPHAN_S)


def _heal(store: Store, settings: Settings) -> None:
    """Repair times after the database's clock was set back."""
    heal_clock(store.db, lease_s=settings.lease_s, delay_s=max(settings.retry_delays_s))


def _renew(runtime: Runtime) -> None:
    """Renew the development licence while the service runs; holders read its file again."""
    development_license(runtime.settings.workdir, datetime.now(UTC))


def make_dispatcher(runtime: Runtime) -> Dispatcher:
    """Return a dispatcher of webhooks; any number may run."""
    outbox = StoreOutbox(open_runtime_store(runtime), new_worker_id())
    return Dispatcher(outbox, Egress(runtime.settings.webhook_allow).post)


def build_background() -> BackgroundWork:
    """Build what the background process runs: housekeeping, webhooks, targets, pages on demand and the index writer."""
    runtime, recogniser = find_runtime(), ServedRecogniser()
    index_writer = _index_writer(runtime)
    loops: list[Loop] = [make_janitor(runtime), make_dispatcher(runtime)]
    if index_writer is not None:
        loops.append(index_writer)
    loops.append(make_target_sender(runtime, index_writer))
    on_demand = make_on_demand(runtime, with_vlm(runtime, recogniser), recogniser)
    return BackgroundWork(WorkerGroup(loops), on_demand, index_writer)


def _index_writer(runtime: Runtime) -> IndexWriting | None:
    """Return the index writer of this process, or None without a search index."""
    if not searches(runtime.settings):
        return None
    from quire.cluster.compose.search import (
        served_index_writer,  # Lance: 80 MB that a service without an index does not pay
    )

    return served_index_writer(runtime)
