"""docling-serve's asynchronous tasks without stored state: a task is a job of the engine.

The task's id contains the job's id and the options, so any process can answer, also after a restart.
"""

import re
from dataclasses import dataclass
from typing import Any

from quire.serve_apps.compat.options import ConvertOptions, OutputFormat

_TASK = re.compile(r"(job_[a-z2-7]{26})\.([a-z]+(?:-[a-z]+)*)(\.zip)?(?:\.([0-9a-f]{2,800}))?\Z")
_STATES = {"queued": "pending", "running": "started", "failed": "failure", "canceled": "failure"}


@dataclass(frozen=True, slots=True)
class ConvertTask:
    """A job with the requested formats and page break."""

    job_id: str
    options: ConvertOptions

    @property
    def id(self) -> str:
        """Return the task's id: the job's id with the options."""
        formats = "-".join(sorted(self.options.formats))
        page_break = self.options.page_break.encode().hex()
        zipped = ".zip" if self.options.zipped else ""
        return f"{self.job_id}.{formats}{zipped}{'.' if page_break else ''}{page_break}"


def read_task(id: str) -> ConvertTask | None:
    """Parse a task id; None if it is malformed."""
    match = _TASK.match(id)
    if match is None or not set(match[2].split("-")) <= set(OutputFormat):
        return None
    formats = frozenset(OutputFormat(name) for name in match[2].split("-"))
    try:
        page_break = bytes.fromhex(match[4] or "").decode()
    except ValueError:
        return None
    options = ConvertOptions(formats=formats, fields={}, zipped=match[3] is not None, page_break=page_break)
    return ConvertTask(match[1], options)


def describe_task(task: ConvertTask, job: dict[str, Any]) -> dict[str, Any]:
    """Return docling-serve's status of a task."""
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
