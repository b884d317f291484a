"""The only reader of settings: turns a runtime into the objects that do the work, handing values down.

In comes a `Runtime`; out come the web application, a reader, a janitor. The `build_*` functions are what replicas call
by name: they find the runtime file through their environment. Nothing here starts Ray.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.placement import Placement
from cluster.runtime import Runtime, read_runtime
from cluster.sizing import Sizing, size_readers
from configs.kinds import Proxy
from configs.parsing import parse_settings
from configs.settings import Settings

if TYPE_CHECKING:  # each replica imports only what it is made of
    from fastapi import FastAPI

    from actors.deliver import Dispatcher
    from actors.on_demand import OnDemand
    from actors.reader import Reader
    from actors.recogniser import Recogniser
    from actors.sandbox.limits import SandboxLimits
    from actors.sweep import Janitor
    from actors.together import Together
    from actors.vlm_reader import VlmReader
    from models.cdom.original import ReadOptions
    from models.cdom.ports import IndexDocument, RecognisePages
    from models.cdom.tree import Tree
    from serve_apps.access.license_holder import LicenseHolder
    from serve_apps.api.resources import ApiLimits, Resources
    from storage.rows import Claim
    from storage.sources import SourceGate
    from storage.store import Store

LICENSE_KEYS = Path(__file__).resolve().parent.parent / "configs" / "license_keys"
MIB = 1 << 20
ORPHAN_S = 3600.0
RECOGNISER_NICE = 10
VLM_CONCURRENCY, VLM_PAGES_AT_ONCE = 16, 8
"""Calls open at an endpoint at once; an engine of our own batches by itself."""


def load_settings(environ: Mapping[str, str] | None = None, /, **chosen: object) -> Settings:
    """Settings from the environment; command-line values win. Raises `SettingsError`."""
    return parse_settings(os.environ if environ is None else environ, **chosen)


def open_runtime_store(runtime: Runtime) -> "Store":
    """The deployment's store; refuses a schema older or newer than this program."""
    from storage import crash
    from storage.schema import check_schema
    from storage.store import open_store

    crash.arm(runtime.settings.crash_at)
    settings = runtime.settings
    store = open_store(runtime.dsn, settings.workdir, signing_key=runtime.signing_key, blobs_url=settings.blobs)
    check_schema(store.db)
    return store


def hold_license(runtime: Runtime) -> "LicenseHolder":
    """The licence in force; a renewal is read from the same file. Raises `LicenseRefused`."""
    from datetime import UTC, datetime

    from serve_apps.access.license import verify_license
    from serve_apps.access.license_holder import LicenseHolder

    keys = license_keys(runtime)
    token = runtime.license_file.read_text().strip()
    license = verify_license(token, keys, datetime.now(UTC))
    return LicenseHolder(license, keys, read_token=lambda: runtime.license_file.read_text().strip())


def license_keys(runtime: Runtime) -> dict[str, bytes]:
    """Pinned keys of this installation and the workdir's own development key."""
    from serve_apps.access.license_keys import read_public_keys

    return read_public_keys(LICENSE_KEYS) | runtime.license_keys


def open_resources(runtime: Runtime) -> "Resources":
    """What the API is built from."""
    from cluster.handles import ServedOnDemand
    from cluster.health import ServeState
    from cluster.plugins import load_plugins
    from cluster.search import with_search
    from serve_apps.access.default_token import load_default_token
    from serve_apps.access.keys import KeyRing, default_key, parse_api_keys
    from serve_apps.api.resources import Ports, Resources
    from storage.egress import Egress

    settings = runtime.settings
    token = load_default_token(runtime.token_file) if runtime.token_file else None
    on_demand = ServedOnDemand()
    return Resources(
        store=open_runtime_store(runtime),
        keys=KeyRing([default_key(token.token)]) if token else parse_api_keys(settings.api_keys or ""),
        license=hold_license(runtime),
        dsn=runtime.dsn,
        default_token=token,
        egress=Egress(settings.webhook_allow),
        source_gate=source_gate(settings),
        limits=api_limits(settings),
        options=read_options(settings),
        flag_tree=make_tree_flagger(settings),
        exports=load_plugins(settings.plugins).exports,
        ports=with_search(
            Ports(
                cluster_state=ServeState(wanted_pools(settings) | optional_pools(settings)),
                render_page=on_demand,
                read_once=on_demand,
            ),
            settings,
        ),
    )


def source_gate(settings: Settings) -> "SourceGate":
    """Which places may be sources."""
    from storage.sources import SourceGate

    root = Path(settings.source_root) if settings.source_root else None
    return SourceGate(workdir=settings.workdir, root=root, max_bytes=settings.max_upload_mb * MIB)


def api_limits(settings: Settings) -> "ApiLimits":
    """The API's limits in bytes; behind HAProxy every caller looks local, so nobody is taken for local."""
    from serve_apps.api.resources import MEGABYTE, ApiLimits

    return ApiLimits(
        max_upload_bytes=settings.max_upload_mb * MEGABYTE,
        max_batch_files=settings.max_batch_files,
        max_ingest_bytes=settings.max_ingest_mb * MEGABYTE,
        max_waiters=settings.max_waiters,
        rate_limit_rpm=settings.rate_limit_rpm,
        metrics=settings.metrics,
        org_disk_bytes=settings.org_disk_mb * MEGABYTE,
        allowed_hosts=settings.allowed_hosts,
        trusted_proxies=settings.trusted_proxies,
        loopback_token=settings.proxy is Proxy.RAY,
    )


def read_options(settings: Settings) -> "ReadOptions":
    """How documents are read unless the request says otherwise."""
    from models.cdom.original import ReadOptions

    return ReadOptions(fast_mode=settings.fast_mode, ocr_langs=settings.ocr_langs, max_pages=settings.max_pages)


def plan_readers(settings: Settings) -> Sizing:
    """The reader pool these settings ask for on this machine."""
    return size_readers(
        cores=os.cpu_count() or 1,
        workers=settings.workers,
        background=settings.background,
        least=settings.workers_min,
        most=settings.workers_max,
    )


def wanted_pools(settings: Settings) -> "dict[str, Placement]":
    """Every pool these settings ask for, with where it may run."""
    from cluster.search import embeds, searches
    from cluster.sizing import pools

    return pools(plan_readers(settings), search=searches(settings), embed=embeds(settings))


def make_tree_flagger(settings: Settings) -> "Callable[[Tree], Tree]":
    """Looks for personal data with the configured engine and the detectors of plugins."""
    from cluster.plugins import Detectors, load_plugins
    from models.pii.engines import Engine, make_detector, make_flagger
    from models.pii.flag import flag_tree

    added = load_plugins(settings.plugins).detectors
    if not added:
        return make_flagger(settings.pii_engine, settings.pii_languages)
    own = make_detector(Engine(settings.pii_engine), settings.pii_languages)
    return partial(flag_tree, detector=Detectors([own, *added]))


def sandbox_limits(settings: Settings) -> "SandboxLimits":
    """What one document may use."""
    from actors.sandbox.limits import SandboxLimits
    from cluster.plugins import load_plugins

    return SandboxLimits(
        readers=load_plugins(settings.plugins).readers,
        memory_bytes=settings.child_memory_mb * MIB,
        page_cpu_s=settings.page_cpu_s,
        total_cpu_s=settings.document_cpu_s,
    )


def make_reader(runtime: Runtime, recogniser: "RecognisePages", index: "IndexDocument | None" = None) -> "Reader":
    """One reader over the deployment's queue, with its own fork server. `index`: documents pass it first."""
    from actors.hints import TaskHints
    from actors.inflight import Heart, Inflight
    from actors.publisher import Publisher
    from actors.reader import Reader, ReaderParts
    from actors.reading import DocumentReader
    from actors.recognition import RecognitionLine, RecognitionParts
    from actors.settlement import Settlement
    from cluster.search import before_publishing
    from storage.ids import new_worker_id
    from storage.listen import listen
    from storage.publish import finish
    from storage.queue import LeasePolicy, Queue

    settings, store = runtime.settings, open_runtime_store(runtime)
    policy = LeasePolicy(lease_s=settings.lease_s, retry_delays_s=settings.retry_delays_s)
    queue, inflight = Queue(store.db, new_worker_id(), policy), Inflight()
    publisher = Publisher(
        artifacts=store.artifacts,
        finish=partial(finish, store),
        tasks=queue,
        inflight=inflight,
        depth=settings.inflight_docs - 1,
    )
    publishing = before_publishing(publisher, index, inflight, queue)
    hints = TaskHints(partial(listen, runtime.dsn, ["quire_tasks"]))
    settlement = Settlement(queue, publishing, inflight, make_tree_flagger(settings))
    line = RecognitionParts(
        port=recogniser,
        settlement=settlement,
        inflight=inflight,
        beats=queue,
        wake=hints.wake,
        room=max(1, settings.inflight_docs - 1),
        pages_at_once=VLM_PAGES_AT_ONCE if settings.vlm_ocr else 1,
    )
    parts = ReaderParts(
        queue=queue,
        originals=store.blobs,
        parser=DocumentReader(sandbox_limits(settings)),
        hints=hints,
        publisher=publishing,
        settlement=settlement,
        recognition=RecognitionLine(line),
        inflight=inflight,
        heart=Heart(queue, inflight, settings.beat_s),
        reserve=_reserve(store, hold_license(runtime)),
        close=store.close,
    )
    return Reader(parts)


def make_recogniser(runtime: Runtime) -> "Recogniser":
    """The OCR of this machine: one worker, models loaded at the first page or, when wanted, now."""
    from actors.recogniser import Recogniser
    from cluster.plugins import load_plugins
    from models.cdom.errors import MlUnavailable
    from models.neural.ocr import make_recogniser as make_engine

    settings = runtime.settings
    flags = frozenset(settings.cpu_flags) or None
    by_plugin = load_plugins(settings.plugins).make_recogniser
    recogniser = Recogniser(by_plugin or (lambda: make_engine(settings.ocr_engine.value, settings.ocr_langs, flags)))
    if settings.ocr_warmup:
        with suppress(MlUnavailable):  # born-digital documents are read all the same
            recogniser.warm_up()
    return recogniser


def with_vlm(runtime: Runtime, recogniser: "RecognisePages") -> "RecognisePages":
    """The recogniser of a reader: the vision-language model first where one is set, else the one given."""
    settings = runtime.settings
    if settings.vlm_ocr is None:
        return recogniser
    from actors.vlm_first import VlmFirst
    from cluster.handles import ServedVlm
    from cluster.vlm import choose_vlm
    from models.neural.vlm.registry import load_model

    model = load_model(choose_vlm(settings.vlm_ocr, settings.vlm_key).model)
    return VlmFirst(ServedVlm(), recogniser, needs_regions=model.needs_regions)


def make_vlm(runtime: Runtime) -> "VlmReader":
    """The page reader of a vlm_ocr replica."""
    from cluster.vlm import choose_vlm, make_vlm_reader

    settings = runtime.settings
    assert settings.vlm_ocr is not None
    return make_vlm_reader(choose_vlm(settings.vlm_ocr, settings.vlm_key), settings.vlm_key, VLM_CONCURRENCY)


def optional_pools(settings: Settings) -> dict[str, Placement]:
    """Pools that run only where a node fits them; without one they are a warning, never a refusal."""
    from cluster.vlm import choose_vlm

    if settings.vlm_ocr is None:
        return {}
    return {"vlm_ocr": choose_vlm(settings.vlm_ocr, settings.vlm_key).placement}


def make_on_demand(runtime: Runtime, recogniser: "RecognisePages") -> "OnDemand":
    """Pages drawn and documents read once, in sandboxes of their own."""
    from actors.on_demand import OnDemand
    from actors.reading import DocumentReader

    limits, store = sandbox_limits(runtime.settings), open_runtime_store(runtime)
    return OnDemand(
        drawing=DocumentReader(limits),
        reading=DocumentReader(limits),
        originals=store.blobs,
        recogniser=recogniser,
        ended=store.close,
    )


def _reserve(store: "Store", license: "LicenseHolder") -> "Callable[[Claim, int], None]":
    from storage.rows import PageQuota
    from storage.usage import reserve_pages

    def reserve(claim: "Claim", pages: int) -> None:
        license.refresh()
        reserve_pages(store.db, claim, pages, PageQuota(max_pages_per_month=license.current.max_pages_per_month))

    return reserve


def make_janitor(runtime: Runtime) -> "Janitor":
    """Housekeeping of the whole deployment, behind the lease of the role."""
    from actors.sweep import Chore, Janitor
    from cluster.search import searches
    from cluster.source_sync import Aside, sync_due
    from storage.audit import seal
    from storage.erase import purge_some
    from storage.ids import new_worker_id
    from storage.rate_limits import forget_idle
    from storage.reconcile import sweep_orphans
    from storage.retention import delete_expired
    from storage.roles import RoleLease
    from storage.rows import PageQuota
    from storage.scrub import Scrubber
    from storage.sync import Reading, delete_retired
    from storage.usage import check_clock, fold_quota

    store, license, gate = open_runtime_store(runtime), hold_license(runtime), source_gate(runtime.settings)

    def reading() -> Reading:
        license.refresh()
        license.require_intake()
        quota = PageQuota(max_pages_per_month=license.current.max_pages_per_month)
        return Reading(options=read_options(runtime.settings), quota=quota)

    chores = [
        Chore(name="seal audit", every_s=2, run=lambda: seal(store.db)),
        Chore(name="fold quota", every_s=5, run=lambda: fold_quota(store.db)),
        Chore(name="sweep partial uploads", every_s=600, run=lambda: store.blobs.sweep(ORPHAN_S)),
        Chore(name="sweep orphans", every_s=3600, run=lambda: sweep_orphans(store, grace_s=ORPHAN_S)),
        Chore(name="delete retired", every_s=30, run=lambda: delete_retired(store.db)),
        Chore(name="sync sources", every_s=30, run=Aside(lambda: sync_due(store, gate, reading))),
        Chore(name="forget rate limits", every_s=600, run=lambda: forget_idle(store.db)),
        Chore(name="watch clock", every_s=60, run=lambda: check_clock(store.db)),
    ]
    if not searches(runtime.settings):  # else the index writer purges, because the index must forget first
        chores.append(Chore(name="purge", every_s=5, run=lambda: purge_some(store)))
    if runtime.settings.database_url is None:
        chores.append(Chore(name="scrub", every_s=15, run=Scrubber(store.db).run))
    if days := runtime.settings.retention_days:
        chores.append(Chore(name="retention", every_s=60, run=lambda: delete_expired(store.db, days)))
    return Janitor(RoleLease(store.db, "janitor", new_worker_id(), ttl_s=30), chores, close=store.close)


def make_dispatcher(runtime: Runtime) -> "Dispatcher":
    """Sends events to webhooks; any number may run."""
    from actors.deliver import Dispatcher
    from storage.egress import Egress
    from storage.ids import new_worker_id
    from storage.outbox import StoreOutbox

    outbox = StoreOutbox(open_runtime_store(runtime), new_worker_id())
    return Dispatcher(outbox, Egress(runtime.settings.webhook_allow).post)


def build_api() -> "FastAPI":
    """For a replica."""
    from cluster.logs import write_requests
    from serve_apps.api.app import create_app

    runtime = read_runtime()
    if runtime.settings.request_log:
        write_requests(runtime.settings.workdir)
    return create_app(open_resources(runtime))


def build_reader() -> "Reader":
    """For a replica."""
    from cluster.handles import ServedRecogniser
    from cluster.search import served_indexer

    runtime = read_runtime()
    return make_reader(runtime, with_vlm(runtime, ServedRecogniser()), served_indexer(runtime.settings))


def build_recogniser() -> "Recogniser":
    """For a replica; all other work of the machine comes first: no born-digital page waits for a scanned one."""
    os.nice(RECOGNISER_NICE)
    return make_recogniser(read_runtime())


def build_vlm() -> "VlmReader":
    """For a replica."""
    return make_vlm(read_runtime())


def build_on_demand() -> "OnDemand":
    """For a replica."""
    from cluster.handles import ServedRecogniser

    runtime = read_runtime()
    return make_on_demand(runtime, with_vlm(runtime, ServedRecogniser()))


def build_janitor() -> "Together":
    """For a replica: housekeeping and whatever else works in the background on its own lease."""
    from actors.together import Together

    runtime = read_runtime()
    return Together([make_janitor(runtime), make_dispatcher(runtime)])
