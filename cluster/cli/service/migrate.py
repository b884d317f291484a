"""`quire migrate`: bring the database to this version's schema, under an advisory lock. `up` does so by itself."""

from pathlib import Path

import click

from cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from cluster.errors import ClusterError
from cluster.start.database import open_database


@click.command()
@workdir_option
def migrate(workdir: Path | None) -> None:
    """Migrate the database to the schema of this version."""
    settings = settings_from(workdir)
    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    try:
        open_database(settings)
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    click.echo("the schema is up to date")
