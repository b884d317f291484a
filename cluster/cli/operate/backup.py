"""`quire backup` and `quire restore`: a deployment's state into one folder and back."""

from pathlib import Path

import click

from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.cli.shared.progress import ProgressBar
from quire.cluster.errors import ClusterError
from quire.cluster.failure import describe_failure
from quire.cluster.postgres.backup import count_files, make_backup, put_back, verify_backup


@click.command()
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--verify", is_flag=True, help="Write nothing; compare the backup TARGET with its manifest.")
@workdir_option
def backup(target: Path, verify: bool, workdir: Path | None) -> None:
    """Copy database, originals, trees and secrets into the new folder TARGET (owner only)."""
    settings = settings_from(workdir)
    try:
        if verify:
            with ProgressBar(count_files(target)).shown() as bar:
                verify_backup(target.expanduser().absolute(), bar.step)
            click.echo(f"whole: {target}")
            return
        with ProgressBar(count_files(settings.workdir)).shown() as bar:
            make_backup(settings, target.expanduser().absolute(), bar.step)
    except (ClusterError, OSError) as error:
        raise CommandStopped(describe_failure(error)) from None
    click.echo(f"backup: {target}")
    if settings.blobs:
        click.echo(f"originals and trees in {settings.blobs} are not part of this backup")


@click.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--quiet", is_flag=True, help="For a rehearsal: disable all webhooks and pause all targets of the copy.")
@workdir_option
def restore(source: Path, quiet: bool, workdir: Path | None) -> None:
    """Verify the backup SOURCE and put it into an empty workdir; start it with `quire up`."""
    settings = settings_from(workdir)
    try:
        with ProgressBar(count_files(source)).shown() as bar:
            put_back(settings, source.expanduser().absolute(), bar.step, quiet=quiet)
    except (ClusterError, OSError) as error:
        raise CommandStopped(describe_failure(error)) from None
    click.echo(f"restored into {settings.workdir}")
    if not quiet:
        click.echo(
            "it sends to the webhooks and targets of the original; for a rehearsal restore with --quiet", err=True
        )
