"""`quire down`: drain and stop a workdir's service, and leave no process."""

from pathlib import Path

import click

from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.errors import ClusterError
from quire.cluster.start.stop import stop_service
from quire.cluster.state import ServicePhase, exclusive


@click.command()
@workdir_option
def down(workdir: Path | None) -> None:
    """Drain and stop everything that `up` started; documents being read are finished or returned to the queue."""
    settings = settings_from(workdir)
    if not settings.workdir.exists():
        click.echo("quire is down")
        return
    try:
        with exclusive(settings.workdir, ServicePhase.STOPPING):
            ran = stop_service(settings.workdir)
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    click.echo("quire is down" + ("" if ran else " (nothing was running)"))
