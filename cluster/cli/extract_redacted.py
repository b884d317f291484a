"""`quire extract --redacted`: what was read, without personal data. Nobody reviews here, so every flag is masked."""

from models.cdom.ports import ReadOutcome

HIDDEN_NAME = "[REDACTED]"


def redact_outcome(outcome: ReadOutcome) -> ReadOutcome:
    """The outcome with its tree masked and without pictures. Raises `PiiIncomplete`."""
    from actors.scanning import redact
    from models.pii.engines import make_flagger

    return redact(outcome, make_flagger("regex"))


def name_without_names(count: int, suffix: str) -> list[str]:
    """Results by number: a file's name may hold what is masked inside."""
    return [f"document-{number:05}{suffix}" for number in range(1, count + 1)]
