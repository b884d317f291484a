"""Closed sets of states, as stored in SQL and shown by the API."""

from enum import IntEnum, StrEnum


class JobStatus(StrEnum):
    """Computed by the database from the job's counters (see `tables.Job`)."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELED = "canceled"


class DocumentStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"


TERMINAL = frozenset({DocumentStatus.SUCCEEDED, DocumentStatus.FAILED, DocumentStatus.CANCELED})


class Phase(StrEnum):
    """What the holder of a lease is doing; only a lapse while `reading` costs the document a start.

    `claimed`: taken in a group, its turn has not come.
    """

    CLAIMED = "claimed"
    READING = "reading"
    RECOGNISING = "recognising"
    EMBEDDING = "embedding"
    PUBLISHING = "publishing"


class Priority(IntEnum):
    """Lower is claimed first."""

    PARSE = 0
    JOB = 10
    SYNC = 20


class EventKind(StrEnum):
    DOCUMENT_FINISHED = "document.finished"
    JOB_FINISHED = "job.finished"
