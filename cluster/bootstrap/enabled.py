"""The pools that settings ask for. Imports what the supervisor needs and nothing of what replicas run."""

import os

from quire.cluster.bootstrap.vlm import choose_vlm
from quire.cluster.placement.placement import Placement
from quire.cluster.placement.sizing import ApiReplicas, Sizing, pools, size_api, size_readers
from quire.configs.settings import Settings

NO_EMBEDDER = "none"


def searches(settings: Settings) -> bool:
    """Return whether this deployment keeps a search index."""
    return settings.rag_db is not None


def embeds(settings: Settings) -> bool:
    """Return whether this deployment stores vectors."""
    return searches(settings) and settings.embedder != NO_EMBEDDER


def plan_readers(settings: Settings) -> Sizing:
    """Return the reader pool these settings ask for on this machine."""
    return size_readers(
        cores=os.cpu_count() or 1,
        workers=settings.workers,
        background=settings.background,
        least=settings.workers_min,
        most=settings.workers_max,
        inflight=settings.inflight_docs,
    )


def plan_api(settings: Settings, machines: int) -> ApiReplicas:
    """Return the API replicas these settings ask for; by default two where another machine can take over."""
    least = settings.api_min or min(2, machines, settings.api_max or 2)
    return size_api(cores=os.cpu_count() or 1, machines=machines, least=least, most=settings.api_max)


def enabled_pools(settings: Settings) -> dict[str, Placement]:
    """Return every pool these settings ask for, with its placement."""
    return pools(plan_readers(settings), search=searches(settings), embed=embeds(settings))


def optional_pools(settings: Settings) -> dict[str, Placement]:
    """Return pools that need a special node; without one they cause a warning, never a refusal."""
    if settings.vlm_ocr is None:
        return {}
    return {"vlm_ocr": choose_vlm(settings.vlm_ocr, settings.vlm_key).placement}
