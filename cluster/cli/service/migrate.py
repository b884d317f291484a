"""`quire migrate`: bring the database to this version's schema, under an advisory lock. `up` does so by itself.

The workdir's own database is stopped afterwards, unless it ran before.
"""

from pathlib import Path

import click

from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.errors import ClusterError
from quire.cluster.start.database import running_database
from quire.storage.postgres.schema import HEAD


@click.command()
@workdir_option
def migrate(workdir: Path | None) -> None:
    """Migrate the database to the schema of this version."""
    settings = settings_from(workdir)
    settings.workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    try:
        with running_database(settings) as database:
            steps = database.migrated_steps
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    click.echo(f"the schema was {f'migrated in {steps} step(s)' if steps else 'up to date'} ({HEAD})")
