"""The applications that configs/serve/*.yaml and KubeRay import as `quire.cluster.serve.serve_config:service`.

For clusters that Serve's own configuration drives instead of `quire up --address`. Settings come from the SVC_
variables of every node; refusals end the deployment with their text.
"""

from typing import Any

from ray import serve

from quire.cluster.bootstrap.enabled import embeds, optional_pools, plan_api, plan_readers, searches
from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.compose.handles import API_APP
from quire.cluster.errors import StartRefused
from quire.cluster.serve import app
from quire.cluster.serve.doors import hosted_targets


def service(arguments: dict[str, str]) -> serve.Application:
    """Return API, recogniser, background work and, unless SVC_BACKGROUND=1, the readers."""
    return _find(API_APP)


def workers(arguments: dict[str, str]) -> serve.Application:
    """Return the readers as a separate application, scaled on queue depth: with SVC_BACKGROUND=1."""
    return _find(app.WORKERS_APP)


def vlm_ocr(arguments: dict[str, str]) -> serve.Application:
    """Return the GPU tier: with SVC_VLM_OCR."""
    placement = optional_pools(find_runtime().settings).get("vlm_ocr")
    if placement is None:
        raise StartRefused("the application vlm_ocr needs SVC_VLM_OCR")
    target: Any = app.vlm_target(placement).target
    return target


def console(arguments: dict[str, str]) -> serve.Application:
    """Return the hosted console, on the head: with SVC_CONSOLE=1."""
    return _find_door("console")


def compat(arguments: dict[str, str]) -> serve.Application:
    """Return the docling-serve door, on the head: with SVC_COMPAT=1."""
    return _find_door("compat")


def _find_door(name: str) -> serve.Application:
    for target in hosted_targets(find_runtime().settings):
        if target.name == name:
            application: Any = target.target
            return application
    raise StartRefused(f"the application {name} needs SVC_{name.upper()}=1")


def _find(name: str) -> serve.Application:
    runtime = find_runtime()
    settings = runtime.settings
    made = app.targets(
        plan_readers(settings),
        runtime.dsn_file,
        api=plan_api(settings, machines=2),
        searching=searches(settings),
        embedding=embeds(settings),
    )
    for target in made:
        if target.name == name:
            application: Any = target.target
            return application
    raise StartRefused(f"the application {name} needs SVC_BACKGROUND=1")
