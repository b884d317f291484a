"""`quire worker`: makes this machine a node of a cluster, in one command and in the foreground.

In come the head's address and the cluster's token; what the machine needs of the service it takes from SVC_ variables.
"""

import secrets
import sys
from pathlib import Path

import click

from quire.cluster.bootstrap.shared_runtime import make_joined_runtime
from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.errors import ClusterError
from quire.cluster.serve.drain import LABEL, RayNode, Signals, ask_cluster, stay_joined
from quire.cluster.start.joined import node_command, node_environment


def _parse_labels(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    if any(not name or not mark or not value for name, mark, value in pairs):
        raise click.BadParameter("a label is name=value", ctx, param)
    return {name: value for name, _, value in pairs}


@click.command()
@click.option("--address", help="HOST:PORT of the head. Without it this machine becomes the head.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="File with the cluster token (mode 0600).",
)
@click.option(
    "--label", "labels", multiple=True, callback=_parse_labels, help="Additional node labels, such as pool=scans."
)
@click.option("--cpus", type=click.IntRange(0), help="CPUs to use. The default is all.")
@click.option("--gpus", type=click.IntRange(0), help="GPUs to use. The default is all.")
@click.option("--port", type=click.IntRange(1024, 65535), default=6379, show_default=True, help="Port of the head.")
@click.option("--dashboard-port", type=click.IntRange(1024, 65535), default=8265, show_default=True,
              help="Loopback port of the job API; unless default, the next port is used too.")  # fmt: skip
@click.option("--node-ip", help="Address at which other machines reach this one.")
@workdir_option
def worker(
    address: str | None, token_file: Path, labels: dict[str, str], cpus: int | None, gpus: int | None,
    port: int, dashboard_port: int, node_ip: str | None, workdir: Path | None,
) -> None:  # fmt: skip
    """Make this machine a node, again whenever Ray ends here; Ctrl-C or SIGTERM leaves, readers hand over first."""
    settings = settings_from(workdir)
    try:
        make_joined_runtime(settings)
        environment = node_environment(settings, token_file.expanduser())
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    machine, signals = secrets.token_hex(6), Signals()
    labels = {LABEL: machine, **labels}
    command = node_command(
        address=address, labels=labels, cpus=cpus, gpus=gpus, node_ip=node_ip, port=port, dashboard_port=dashboard_port
    )
    signals.install()
    code = stay_joined(
        lambda: RayNode(command, environment),
        signals,
        lambda: address is not None and ask_cluster(address, machine, environment),
    )
    sys.exit(code)
