"""docling-serve's asynchronous trio without any memory of its own: a task is a job of the engine.

The task's id carries the job's id and what was asked for, so any process can answer and none can forget.
"""

import re
from dataclasses import dataclass
from typing import Any

from serve_apps.compat.options import ConvertOptions, OutputFormat

_TASK = re.compile(r"(job_[a-z2-7]{26})\.([a-z]+(?:-[a-z]+)*)(\.zip)?\Z")
_STATES = {"queued": "pending", "running": "started", "failed": "failure", "canceled": "failure"}


@dataclass(frozen=True, slots=True)
class ConvertTask:
    """A job and the formats its documents are wanted in."""

    job_id: str
    options: ConvertOptions

    @property
    def id(self) -> str:
        formats = "-".join(sorted(self.options.formats))
        return f"{self.job_id}.{formats}{'.zip' if self.options.zipped else ''}"


def read_task(id: str) -> ConvertTask | None:
    """None for an id that is none of ours."""
    found = _TASK.match(id)
    if found is None or not set(found[2].split("-")) <= set(OutputFormat):
        return None
    formats = frozenset(OutputFormat(name) for name in found[2].split("-"))
    return ConvertTask(found[1], ConvertOptions(formats=formats, fields={}, zipped=found[3] is not None))


def describe_task(task: ConvertTask, job: dict[str, Any]) -> dict[str, Any]:
    """docling-serve's status of a task."""
    counts = job["counts"]
    ended = counts["succeeded"] + counts["failed"] + counts["canceled"]
    return {
        "task_id": task.id,
        "task_type": "convert",
        "task_status": _STATES.get(job["status"], "success"),
        "task_position": None,
        "task_meta": {
            "num_docs": sum(counts.values()),
            "num_processed": ended,
            "num_succeeded": counts["succeeded"],
            "num_failed": counts["failed"] + counts["canceled"],
        },
        "error_message": None,
    }
