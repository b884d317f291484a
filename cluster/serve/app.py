"""The Serve applications: deployments bound to factories, placement and counts.

The sizing becomes `RunTarget`s. The API and a fixed reader pool are one application; a pool that scales is a separate
one, so that a pending pool does not keep the API from starting.
"""

from pathlib import Path
from typing import Any

from ray import serve
from ray.serve.config import AutoscalingConfig, AutoscalingPolicy

from quire.cluster.compose import factory
from quire.cluster.compose.handles import API_APP, VLM_APP
from quire.cluster.placement.autoscaling import OngoingPolicy, QueuePolicy
from quire.cluster.placement.placement import (
    API,
    BACKGROUND,
    EMBEDDER,
    FAST_PATH,
    RECOGNISER,
    SEARCHER,
    Placement,
)
from quire.cluster.placement.sizing import ApiReplicas, Sizing
from quire.serve_apps import deployments

QUIET = {"enable_access_log": False, "log_level": "WARNING"}
"""Serve's own access log halves the requests per second; the API writes its own."""
DOCUMENTS_PER_READER = 4  # queued documents one more reader is worth
WORKERS_APP = "workers"
_API: Any = deployments.Api
_FAST_PATH: Any = deployments.FastPath
_BACKGROUND: Any = deployments.Background
_RECOGNISER: Any = deployments.Recogniser
_VLM_OCR: Any = deployments.VlmOcr
PAGES_PER_GPU = 16  # concurrent pages that fill one GPU's batch
MOST_GPUS, MOST_NODES = 64, 256  # replicas: what a policy may ask for, far above what was run
PAGES_PER_RECOGNISER = 4
"""One page is with its worker, and three wait: enough to keep it busy, too few to make a page wait for long."""
CALLS_PER_EMBEDDER = 8
"""Documents whose chunks wait for vectors; one call after another is batched anyway."""
CALLS_PER_API = 32
"""Requests of one API replica, long polls included: they cost memory but no CPU time while they wait."""
CALLS_PER_SEARCHER = 16
"""Searches that run or wait at one replica; they are answered together."""
_EMBEDDER: Any = deployments.Embedder
_SEARCHER: Any = deployments.Searcher


def targets(
    sizing: Sizing,
    dsn_file: Path,
    *,
    api: ApiReplicas,
    searching: bool = False,
    embedding: bool = False,
    readers: Placement = FAST_PATH,
) -> list[serve.RunTarget]:
    """Return the applications to run."""
    below: list[Any] = [_background(), _recogniser(), *_searching(searching, embedding)]
    if not sizing.own_application and sizing.maximum:
        below.append(_readers(sizing, dsn_file, readers))
    applications = [_target(_api(api).bind(factory.API, *below), API_APP, "/")]
    if sizing.own_application:
        applications.append(_target(_readers(sizing, dsn_file, readers), WORKERS_APP, None))
    return applications


def _api(api: ApiReplicas) -> Any:
    scaling = by_ongoing(CALLS_PER_API, least=api.minimum, most=api.maximum, window_s=120, per_node=api.per_node)
    return _API.options(
        ray_actor_options=API.actor_options(), logging_config=QUIET, autoscaling_config=scaling,
        max_replicas_per_node=api.per_node,
    )  # fmt: skip


def vlm_target(placement: Placement) -> serve.RunTarget:
    """Return the GPU tier, a separate application that scales from zero replicas and back to zero."""
    scaling = by_ongoing(PAGES_PER_GPU, least=0, most=MOST_GPUS if placement.gpus else 1, window_s=120)
    pool = _VLM_OCR.options(
        ray_actor_options=placement.actor_options(), logging_config=QUIET, autoscaling_config=scaling
    )
    return _target(pool.bind(factory.VLM), VLM_APP, None)


def _target(application: Any, name: str, route: str | None) -> serve.RunTarget:
    return serve.RunTarget(target=application, name=name, route_prefix=route, logging_config=QUIET)


def _background() -> Any:
    bound = _BACKGROUND.options(ray_actor_options=BACKGROUND.actor_options(), logging_config=QUIET)
    return bound.bind(factory.BACKGROUND)


def _recogniser() -> Any:
    bound = _RECOGNISER.options(
        ray_actor_options=RECOGNISER.actor_options(), logging_config=QUIET, **_single_per_node(PAGES_PER_RECOGNISER)
    )
    return bound.bind(factory.RECOGNISER)


def _single_per_node(calls: float) -> dict[str, Any]:
    """Return options of pools that use idle cores: one replica, then one more per `calls`, at most one per node."""
    scaling = by_ongoing(calls, least=1, most=MOST_NODES, window_s=120, per_node=1)
    return {"autoscaling_config": scaling, "max_replicas_per_node": 1}


def _searching(searching: bool, embedding: bool) -> list[Any]:
    """Return the deployments that answer searches; the index writer is part of the background process."""
    if not searching:
        return []
    searcher = _SEARCHER.options(
        ray_actor_options=SEARCHER.actor_options(), logging_config=QUIET, **_single_per_node(CALLS_PER_SEARCHER)
    )
    return [searcher.bind(factory.SEARCHER), *([_embedder()] if embedding else [])]


def _embedder() -> Any:
    bound = _EMBEDDER.options(
        ray_actor_options=EMBEDDER.actor_options(), logging_config=QUIET, **_single_per_node(CALLS_PER_EMBEDDER)
    )
    return bound.bind(factory.EMBEDDER)


def _readers(sizing: Sizing, dsn_file: Path, placement: Placement) -> Any:
    counts: dict[str, Any] = {"num_replicas": sizing.maximum}
    if not sizing.fixed:
        counts = {"autoscaling_config": autoscaling(sizing, dsn_file)}
    pool = _FAST_PATH.options(ray_actor_options=placement.actor_options(), logging_config=QUIET, **counts)
    return pool.bind(factory.READER)


def autoscaling(sizing: Sizing, dsn_file: Path) -> AutoscalingConfig:
    """Return the scaling of readers by the queue. The policy damps itself, and its arguments hold no secret."""
    policy = AutoscalingPolicy(
        policy_function=QueuePolicy,
        policy_kwargs={"dsn_file": str(dsn_file), "per_replica": DOCUMENTS_PER_READER, "inflight": sizing.inflight},
    )
    return AutoscalingConfig(
        min_replicas=sizing.minimum,
        max_replicas=sizing.maximum,
        upscale_delay_s=1,
        downscale_delay_s=2,
        downscale_to_zero_delay_s=60,
        policy=policy,
    )


def by_ongoing(per_replica: float, *, least: int, most: int, window_s: float, per_node: int = 0) -> AutoscalingConfig:
    """Return a scaling by calls that run or wait: from zero on the first call, back to zero after ten idle minutes."""
    policy = AutoscalingPolicy(
        policy_function=OngoingPolicy,
        policy_kwargs={"per_replica": per_replica, "window_s": window_s, "per_node": per_node},
    )
    return AutoscalingConfig(
        min_replicas=least,
        max_replicas=most,
        upscale_delay_s=1,
        downscale_delay_s=2,
        downscale_to_zero_delay_s=600,
        look_back_period_s=5,
        policy=policy,
    )
