"""`quire up`: a running service from nothing, or the word that it is up already.

In come flags and SVC_ variables; out go base URL and token file. Starts Ray only in the supervisor it launches.
"""

import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType

import click

from quire.cluster.bootstrap.addresses import check_address
from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.errors import ClusterError
from quire.cluster.interrupts import INTERRUPTED, catch_interrupts, undone_by
from quire.cluster.runtime import read_runtime, runtime_file
from quire.cluster.start.launch import Launch, wait_ready
from quire.cluster.start.stop import abandon_start, stop_service
from quire.cluster.state import ServicePhase, ServiceState, exclusive, running_state
from quire.configs.settings import Settings

READY_S = 240.0  # seconds of a fair clock until `up` gives up: a start takes 15


@click.command()
@click.option("--detach", is_flag=True, help="Return when the service is ready. `quire down` stops it.")
@click.option("--host", help="Address to listen on (SVC_HOST).")
@click.option("--port", type=int, help="HTTP port (SVC_PORT).")
@click.option("--address", help="Serve on a running Ray cluster: auto or HOST:PORT of its head.")
@click.option("--console", is_flag=True, help="Serve the hosted console too (SVC_CONSOLE=1).")
@workdir_option
def up(
    detach: bool, host: str | None, port: int | None, address: str | None, console: bool, workdir: Path | None
) -> None:
    """Start the database, the cluster and the service."""
    settings = settings_from(workdir, host=host, port=port, console=console or None)
    if address is not None:
        _serve_on(address, settings)
        return
    running = running_state(settings.workdir)
    if running is not None and running.ready:
        if changed := changed_settings(settings):
            raise CommandStopped(
                f"the service of {settings.workdir} runs at {running.base_url} with other settings: "
                f"{', '.join(changed)}. Run `quire down` first, or leave them as they are"
            )
        click.echo(f"quire is up: {running.base_url}")
        return
    started = time.monotonic()
    try:
        with exclusive(settings.workdir, ServicePhase.STARTING), undone_by(lambda: abandon_start(settings.workdir)):
            state = _start(settings)
            asked = _catch_stop()
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    click.echo(f"quire is up: {state.base_url}  ({time.monotonic() - started:.1f} s)")
    click.echo("\n".join(list_doors(state.base_url, settings)))
    if not detach or not asked.empty():
        _stay(settings.workdir, state, asked)


def changed_settings(settings: Settings) -> list[str]:
    """Return the variables whose values differ from those of the running service. Values may be secret."""
    from quire.cluster.bootstrap.vlm import settle_vlm

    place = runtime_file(settings.workdir)
    if not place.is_file():
        return []
    running = read_runtime(place).settings.model_dump(mode="json")
    asked = settle_vlm(settings).model_dump(mode="json")
    return [f"SVC_{name.upper()}" for name, value in asked.items() if value != running.get(name)]


def list_doors(base_url: str, settings: Settings) -> list[str]:
    """Addresses that a person opens, one a line."""
    doors = {"dashboard": "/ui", "guide": "/guide/", "API to try": "/docs"}
    if settings.console:
        doors["console"] = f"{settings.root_path}/console/"
    if settings.compat:
        doors["docling-serve clients"] = f"{settings.root_path}/compat"
    width = max(map(len, doors))
    return [f"  {name:<{width}}  {base_url}{path}" for name, path in doors.items()]


def _serve_on(address: str, settings: Settings) -> None:
    """Deploy the service on the cluster, where it stays after this command ends."""
    from quire.cluster.start.joined import serve_on

    try:
        runtime = serve_on(address, settings)
    except ClusterError as error:
        raise CommandStopped(str(error)) from None
    click.echo(f"quire is served by the cluster at {address}; on its head: {runtime.base_url}")


def _start(settings: Settings) -> ServiceState:
    """Ready, or nothing left running."""
    stop_service(settings.workdir)  # what a killed supervisor may have left behind
    check_address(settings)
    from quire.cluster.start.prepare import prepare  # imports for seconds on a busy machine

    try:
        with Launch(settings) as launch:
            runtime = prepare(settings)
            if runtime.token_file:
                click.echo(f"default token: {runtime.token_file.read_text().strip()}  (kept in {runtime.token_file})")
            click.echo("starting …", err=True)
            state = launch.go(runtime)
        wait_ready(settings.workdir, state, READY_S, report=lambda line: click.echo(line, err=True))
    except BaseException:
        stop_service(settings.workdir, timeout_s=10)
        raise
    return state


def _catch_stop() -> SimpleQueue[int]:
    """From now on, note Ctrl-C and SIGTERM, which `_stay` obeys. A second Ctrl-C exits while the service drains."""
    asked: SimpleQueue[int] = SimpleQueue()

    def ask(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            catch_interrupts()
        asked.put(number)

    signal.signal(signal.SIGINT, ask)
    signal.signal(signal.SIGTERM, ask)
    return asked


def _stay(workdir: Path, state: ServiceState, asked: SimpleQueue[int]) -> None:
    """In the foreground: end with the service, or end it on Ctrl-C or SIGTERM."""
    while state.supervisor.alive():
        with suppress(Empty):
            number = asked.get(timeout=0.5)
            click.echo("stopping …", err=True)
            stop_service(workdir)
            sys.exit(INTERRUPTED if number == signal.SIGINT else 0)
    raise CommandStopped(f"the service ended; see {workdir / 'log' / 'supervisor.log'}")
