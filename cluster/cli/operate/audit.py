"""`quire audit verify`: every organisation's chain from its first act to its newest. Exit 1 when one is broken."""

from pathlib import Path

import click

from cluster.cli.shared.database import opened, runtime_of
from cluster.cli.shared.options import CommandStopped, workdir_option
from storage.access.audit import list_chains, seal, verify


@click.group("audit")
def audit_group() -> None:
    """The audit trail."""


@audit_group.command("verify")
@workdir_option
def verify_all(workdir: Path | None) -> None:
    """Seal what is waiting, then check all chains."""
    broken = 0
    with opened(runtime_of(workdir)) as database:
        while seal(database):
            pass
        for scope in list_chains(database):
            bad = verify(database, scope)
            broken += bad is not None
            click.echo(f"{scope.tenant}/{scope.org}: " + ("whole" if bad is None else f"broken at entry {bad}"))
    if broken:
        raise CommandStopped(f"{broken} broken")
