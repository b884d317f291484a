"""Removal of personal data outside the service: `quire extract --redacted` and bulk jobs into folders.

Flags are not reviewed, so every flag is masked. The engine is that of the settings, as in the service. Without a
setting a command also detects names, because it reads a few files that will be passed on.
"""

import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.actors.reader.pii_scan import FlagTree
    from quire.configs.settings import Settings
    from quire.models.cdom.ports import ReadOutcome

HIDDEN_NAME = "[REDACTED]"


def redact_outcome(outcome: "ReadOutcome") -> "ReadOutcome":
    """Return the outcome with its tree masked and without pictures. Raises `PiiIncomplete` and `SettingsError`."""
    from quire.actors.reader.pii_scan import redact

    return redact(outcome, _flagger())


def flag_outcome(outcome: "ReadOutcome") -> "ReadOutcome":
    """Return the outcome with its tree searched for personal data. Raises `SettingsError`."""
    from quire.actors.reader.pii_scan import scan

    return scan(outcome, _flagger())


def settings_of_command(settings: "Settings") -> "Settings":
    """Return the settings with the engine of redacted outputs."""
    return settings.model_copy(update={"pii_engine": settings.redaction_engine})


def _flagger() -> "FlagTree":
    from quire.cluster.bootstrap.finding import load_settings
    from quire.cluster.compose.values import make_tree_flagger
    from quire.cluster.runtime import VARIABLE

    return make_tree_flagger(_service_settings() if VARIABLE in os.environ else settings_of_command(load_settings()))


@cache
def _service_settings() -> "Settings":
    from quire.cluster.runtime import read_runtime

    return read_runtime().settings


def name_without_names(count: int, suffix: str) -> list[str]:
    """Return result names by number, because a file's name may contain personal data."""
    return [f"document-{number:05}{suffix}" for number in range(1, count + 1)]
