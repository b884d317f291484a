"""`quire reconcile`: compares the database with the stores now, without waiting for the hourly run.

Unreferenced files are removed after an hour of grace. Lost or miscounted data is reported, with exit status 1.
"""

from dataclasses import asdict
from pathlib import Path

import click

from cluster.bootstrap.opening import open_runtime_store
from cluster.cli.shared.database import runtime_of
from cluster.cli.shared.options import CommandStopped, workdir_option
from storage.upkeep.reconcile import REPAIRED
from storage.upkeep.reconcile import reconcile as compare
from storage.values.errors import StorageError


@click.command()
@workdir_option
@click.option("--dry-run", is_flag=True, help="Only list the differences.")
def reconcile(workdir: Path | None, dry_run: bool) -> None:
    """Compare the database with the stores."""
    try:
        store = open_runtime_store(runtime_of(workdir))
        differences = asdict(compare(store, repair=not dry_run))
        store.close()
    except StorageError as error:
        raise CommandStopped(str(error) or error.code) from None
    for kind, ids in differences.items():
        verb = " removed" if kind in REPAIRED and not dry_run else ""
        click.echo(f"{kind.replace('_', ' ')}: {len(ids)}{verb if ids else ''}")
        for identifier in ids:
            click.echo(f"  {identifier}")
    if any(ids for kind, ids in differences.items() if kind not in REPAIRED):
        raise CommandStopped("the stores lack files that the database refers to; restore them from a backup")
