"""Shared parts of commands: the --workdir option, settings with readable errors, and the end of a failed command.

Knows settings, no Ray.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from quire.configs.settings import Settings

workdir_option: Callable[..., Any] = click.option(
    "--workdir", type=click.Path(path_type=Path, file_okay=False), help="Folder for all state (SVC_WORKDIR)."
)


class CommandStopped(click.ClickException):
    """A command that could not do its work: one message, exit 1, never a traceback."""

    exit_code = 1


class BadSettings(click.ClickException):
    """Wrong settings are a usage error: exit 2."""

    exit_code = 2


def settings_from(workdir: Path | None = None, **chosen: str | int | None) -> "Settings":
    """Load settings from environment and command line; ends the command when one is wrong."""
    from quire.cluster.bootstrap.finding import load_settings  # a third of a second that most reading does without
    from quire.configs.parsing import SettingsError

    try:
        return load_settings(workdir=workdir.expanduser().absolute() if workdir else None, **chosen)
    except SettingsError as error:
        raise BadSettings("\n".join(("wrong settings:", *error.lines))) from None
