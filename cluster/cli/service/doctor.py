"""`quire doctor`: what this machine can do — processor, text recognition, sandbox, disk, memory — before it is needed.

Starts one sandboxed child and loads the recogniser to be sure; touches no database, no Ray and no network.
"""

import json
import os
import platform
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import click

from quire.actors.reading.forkserver import ServerGone, sandbox_layers
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.version import read_core_state
from quire.models.neural.device import missing_cpu_flags
from quire.models.neural.ocr import make_recogniser

GIB = 1 << 30  # bytes
LOW_DISK = 5 * GIB
LOW_MEMORY = 2 * GIB
PROXIES = frozenset({"nginx", "apache2", "httpd", "caddy", "traefik", "envoy"})
"""Programs that may forward requests of other machines. HAProxy is left out because Quire starts its own."""


class Verdict(StrEnum):
    """`warn`: works, with less. `fail`: documents cannot be read here."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Result of one check."""

    check: str
    verdict: Verdict
    detail: str


@click.command("doctor")
@click.option("--workdir", type=click.Path(path_type=Path, file_okay=False), help="Folder whose disk is checked.")
@click.option(
    "--langs", default="en", show_default=True, help="Languages of the text recognition, separated by commas."
)
@click.option("--engine", type=click.Choice(["rapidocr", "tesseract"]), default="rapidocr", show_default=True)
@click.option("--cpu-flags", help="Assume that the processor has only these features (separated by commas).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(workdir: Path | None, langs: str, engine: str, cpu_flags: str | None, as_json: bool) -> None:
    """Say what this machine can do; exit 1 when documents cannot be read on it."""
    flags = None if cpu_flags is None else frozenset(_split(cpu_flags))
    findings = [*_look(workdir or Path.cwd(), tuple(_split(langs)), engine, flags)]
    if as_json:
        click.echo(json.dumps({"findings": [asdict(finding) for finding in findings]}))
    else:
        for finding in findings:
            click.echo(f"{finding.verdict:5} {finding.check:12} {finding.detail}")
    if any(finding.verdict is Verdict.FAIL for finding in findings):
        raise SystemExit(1)


def _look(workdir: Path, langs: tuple[str, ...], engine: str, flags: frozenset[str] | None) -> Iterator[Finding]:
    yield check_processor(flags)
    yield check_reading_core(read_core_state())
    yield check_recogniser(engine, langs, flags)
    yield check_sandbox()
    yield check_disk(workdir)
    yield check_memory()
    yield check_proxy()


def check_processor(flags: frozenset[str] | None = None) -> Finding:
    """Cores, and the features that the ML pipeline needs on x86."""
    missing = missing_cpu_flags(flags)
    detail = f"{platform.machine()}, {os.cpu_count()} cores"
    if missing:
        lacking = (
            f"{detail}, without {', '.join(sorted(missing))}: pages that need text recognition fail with ml-unavailable"
        )
        return Finding(check="processor", verdict=Verdict.WARN, detail=lacking)
    return Finding(check="processor", verdict=Verdict.OK, detail=detail)


def check_reading_core(state: str) -> Finding:
    """Whether the reading core is compiled, which `make up`, wheels and images do where a C compiler is."""
    if state == "compiled":
        return Finding(check="core", verdict=Verdict.OK, detail="the reading core is compiled")
    detail = "the reading core is not compiled, so PDF pages take longer: install a C compiler and run make up"
    return Finding(check="core", verdict=Verdict.WARN, detail=detail)


def check_recogniser(engine: str, langs: tuple[str, ...], flags: frozenset[str] | None = None) -> Finding:
    """Load the engine, which is the only reliable check."""
    try:
        make_recogniser(engine, langs, flags).warm_up()
    except MlUnavailable as error:
        return Finding(check="recogniser", verdict=Verdict.WARN, detail=error.detail)
    return Finding(check="recogniser", verdict=Verdict.OK, detail=f"{engine} reads {', '.join(langs)}")


def check_sandbox(find_layers: Callable[[], dict[str, bool]] | None = None) -> Finding:
    """Test the locks around the process that opens documents."""
    try:
        layers = (find_layers or sandbox_layers)()
    except ServerGone as error:
        return Finding(check="sandbox", verdict=Verdict.FAIL, detail=str(error))
    shown = ", ".join(f"{name} {'on' if active else 'off'}" for name, active in sorted(layers.items()))
    return Finding(check="sandbox", verdict=Verdict.OK if all(layers.values()) else Verdict.WARN, detail=shown)


def check_disk(workdir: Path) -> Finding:
    """Free space where the state would lie; the nearest folder that exists is asked."""
    folder = next(path for path in (workdir.absolute(), *workdir.absolute().parents) if path.exists())
    free = shutil.disk_usage(folder).free
    verdict = Verdict.OK if free >= LOW_DISK else Verdict.WARN
    return Finding(check="disk", verdict=verdict, detail=f"{free / GIB:.1f} GiB free at {folder}")


def check_memory() -> Finding:
    """Memory of the machine; a reader needs its child's limit, a recogniser about 1 GiB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    verdict = Verdict.OK if total >= LOW_MEMORY else Verdict.WARN
    return Finding(check="memory", verdict=verdict, detail=f"{total / GIB:.1f} GiB")


def check_proxy(commands: Iterable[str] | None = None, trusted: str | None = None) -> Finding:
    """Warn about a reverse proxy of this machine: to the service its callers look local, and get the default token.

    Args:
        commands: Names of the running programs; those of this machine by default.
        trusted: The value of `SVC_TRUSTED_PROXIES`; that of the environment by default.
    """
    named = os.environ.get("SVC_TRUSTED_PROXIES", "") if trusted is None else trusted
    proxies = sorted(PROXIES & set(_running_commands() if commands is None else commands))
    if not proxies or named.strip():
        return Finding(check="proxy", verdict=Verdict.OK, detail=f"trusted: {named}" if named else "none found")
    detail = f"{', '.join(proxies)} runs here: if it forwards to Quire, set SVC_TRUSTED_PROXIES=127.0.0.1 and use keys"
    return Finding(check="proxy", verdict=Verdict.WARN, detail=detail)


def _running_commands() -> Iterator[str]:
    """Yield the names of the running programs where the system lists them in /proc."""
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            yield path.read_text().strip()
        except OSError:
            continue


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
