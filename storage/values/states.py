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
    """Status of a document; succeeded, failed and canceled are final until a requeue."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"


TERMINAL = frozenset({DocumentStatus.SUCCEEDED, DocumentStatus.FAILED, DocumentStatus.CANCELED})


class Phase(StrEnum):
    """Activity of the holder of a lease; an expired lease costs the document a start only in phase `reading`.

    `claimed`: claimed in a group and not begun.
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
    """Kinds of events, as named in webhooks."""

    DOCUMENT_FINISHED = "document.finished"
    JOB_FINISHED = "job.finished"
