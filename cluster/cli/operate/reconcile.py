"""`quire reconcile`: compares the database with the stores now, without waiting for the hourly run.

Unreferenced files go to quarantine after an hour of grace. Lost or miscounted data is reported, with exit status 1.
"""

from dataclasses import asdict
from pathlib import Path

import click

from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.cli.shared.database import runtime_of
from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.errors import ClusterError
from quire.cluster.runtime import keep_signing_key
from quire.cluster.start.database import running_database, settle
from quire.configs.settings import Settings
from quire.storage.store import open_store
from quire.storage.upkeep.reconcile import REPAIRED, Differences
from quire.storage.upkeep.reconcile import reconcile as compare
from quire.storage.values.errors import StorageError


@click.command()
@workdir_option
@click.option("--dry-run", is_flag=True, help="Only list the differences.")
@click.option("--deep", is_flag=True, help="Also compare the hash of every original and derived file.")
@click.option(
    "--adopt",
    is_flag=True,
    help="Accept these stores as the database's own, and move every file that it does not know to quarantine.",
)
def reconcile(workdir: Path | None, dry_run: bool, deep: bool, adopt: bool) -> None:
    """Compare the database with the stores."""
    if adopt and dry_run:
        raise click.UsageError("--adopt and --dry-run exclude each other")
    try:
        differences = asdict(_adopt(settings_from(workdir)) if adopt else _compare(workdir, dry_run, deep))
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    except StorageError as error:
        raise CommandStopped(str(error) or error.code) from None
    reasons = differences.pop("not_repaired")
    for kind, ids in differences.items():
        verb = " moved to quarantine" if not dry_run and not reasons and kind in REPAIRED else ""
        click.echo(f"{kind.replace('_', ' ')}: {len(ids)}{verb if ids else ''}")
        for identifier in ids:
            click.echo(f"  {identifier}")
    if reasons:
        raise CommandStopped(reasons[0])
    if any(ids for kind, ids in differences.items() if kind not in REPAIRED):
        raise CommandStopped(
            "the stores lack files that the database refers to, or hold others; restore them from a backup"
        )


def _compare(workdir: Path | None, dry_run: bool, deep: bool) -> Differences:
    store = open_runtime_store(runtime_of(workdir))
    try:
        return compare(store, repair=not dry_run, deep=deep)
    finally:
        store.close()


def _adopt(settings: Settings) -> Differences:
    """Mark all stores as the database's own, then move the files that it does not know. The service may be down."""
    with running_database(settings, adopt=True) as database:
        settle(settings, database.dsn, adopt=True)
        store = open_store(
            database.dsn, settings.workdir, signing_key=keep_signing_key(settings), blobs_url=settings.blobs
        )
        try:
            return compare(store, adopt=True)
        finally:
            store.close()
