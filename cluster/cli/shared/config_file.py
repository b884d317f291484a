"""`quire.toml`: defaults of command options and values of settings.

A file of the current folder is not read, because a foreign folder must not choose the service that receives a key.
"""

import os
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import click

SETTINGS = "settings"
"""The table with values of unset `SVC_` variables. Each other table has the name of a command."""


def config_path() -> Path:
    """Return the path in QUIRE_CONFIG, else that in the user's configuration folder."""
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(os.environ.get("QUIRE_CONFIG") or Path(folder) / "quire" / "quire.toml")


def load_config() -> dict[str, dict[str, Any]]:
    """Return the tables of the file, or none without a file.

    Raises:
        click.UsageError: The file is not TOML, has values outside of tables, or QUIRE_CONFIG names no file.
    """
    path = config_path()
    try:
        tables = tomllib.loads(path.read_text())
    except FileNotFoundError:
        if "QUIRE_CONFIG" in os.environ:
            raise click.UsageError(f"QUIRE_CONFIG: no such file: {path}") from None
        return {}
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {error}") from None
    if loose := [name for name, table in tables.items() if not isinstance(table, dict)]:
        raise click.UsageError(f"{path}: {loose[0]} is outside of a table such as [extract]")
    return tables


def defaults_of(command: click.Command, table: dict[str, Any]) -> dict[str, Any]:
    """Return a table's values by parameter name; keys are option names such as `ocr-lang`.

    Raises:
        click.UsageError: The command has no such option.
    """
    if isinstance(command, click.Group):
        return {name: defaults_of(command.commands[name], inner) for name, inner in table.items()}
    names = {
        option.removeprefix("--"): parameter.name or ""
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }
    if unknown := [key for key in table if key not in names]:
        raise click.UsageError(f"{config_path()}: [{command.name}] has no option {unknown[0]}")
    return {names[key]: value for key, value in table.items()}


def apply_settings(table: dict[str, Any], environ: MutableMapping[str, str]) -> None:
    """Set the `SVC_` variables that the environment does not have; a name is written in lower case, without `SVC_`."""
    for name, value in table.items():
        values = value if isinstance(value, list) else [int(value) if isinstance(value, bool) else value]
        environ.setdefault(f"SVC_{name.upper()}", ",".join(map(str, values)))
