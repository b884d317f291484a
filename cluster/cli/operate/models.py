"""`quire models check`: every model file is here, and is the file this version was made with. Nothing is downloaded.

Reads files of installed packages; needs no settings, no database and no Ray.
"""

import json

import click

from quire.models.neural.registry import FileState, check_models


@click.group("models")
def models_group() -> None:
    """Check the model files of this service."""


@models_group.command("check")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(as_json: bool) -> None:
    """Compare every model file with its pinned SHA-256; exit 1 when one is missing or changed."""
    checks = check_models()
    if as_json:
        rows = [{"name": c.file.name, "state": c.state, "path": str(c.location or "")} for c in checks]
        click.echo(json.dumps({"models": rows}))
    else:
        for check_result in checks:
            place = check_result.location or f"package {check_result.file.package}"
            click.echo(f"{check_result.state:8} {check_result.file.name}  {place}")
    if any(check_result.state is not FileState.OK for check_result in checks):
        raise SystemExit(1)
