"""`quire tenant move`: carries documents over when operator keys replace the default token."""

from pathlib import Path

import click

from quire.cluster.cli.shared.database import opened, runtime_of
from quire.cluster.cli.shared.options import workdir_option
from quire.storage.access.tenants import move_tenant


@click.group("tenant")
def tenant_group() -> None:
    """Manage document ownership."""


@tenant_group.command()
@click.argument("source")
@click.argument("target")
@workdir_option
def move(source: str, target: str, workdir: Path | None) -> None:
    """Everything of SOURCE belongs to TARGET from now on, such as: quire tenant move default acme."""
    with opened(runtime_of(workdir)) as database:
        moved = move_tenant(database, source, target)
    click.echo(", ".join(f"{name} {rows}" for name, rows in moved.items()))
