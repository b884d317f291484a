"""All machines of a cluster have one version of Quire: a label says which, and others are refused.

Machines of two versions would read the same file into two trees. A machine without the label was started by `ray start`
and is taken as it is.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from quire.models.cdom.version import READER_VERSION, SERVICE_VERSION

LABEL = "quire-version"
HERE = f"{SERVICE_VERSION}-reader-{READER_VERSION}"
"""Value of the label on this machine."""


def list_others(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return `address (version)` of each living machine of `ray.nodes()` that has another version than this one."""
    living = [node for node in nodes if node.get("Alive")]
    versions = [(node.get("NodeName", ""), (node.get("Labels") or {}).get(LABEL, HERE)) for node in living]
    return [f"{name} ({version})" for name, version in versions if version != HERE]


def refuse_to_join(head: Mapping[str, str]) -> str | None:
    """Return why this machine may not join a head with these labels, or None if it may."""
    version = head.get(LABEL, HERE)
    if version == HERE:
        return None
    return f"the head has Quire {version} and this machine {HERE}: install the head's version here, or update the head"
