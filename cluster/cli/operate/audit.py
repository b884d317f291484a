"""`quire audit verify`: every organisation's chain, and whether it still holds what was signed of it. Exit 1 if not.

`quire audit role`: SQL of a role that can change no act, for a database outside.
"""

from pathlib import Path

import click

from quire.cluster.cli.shared.database import opened, runtime_of
from quire.cluster.cli.shared.options import CommandStopped, workdir_option
from quire.storage.access.audit import list_chains, seal, verify
from quire.storage.access.signed_heads import HeadsForged, SignedHeads
from quire.storage.postgres.database import Database
from quire.storage.postgres.service_role import ROLE, print_role
from quire.storage.values.signing import Signer


@click.group("audit")
def audit_group() -> None:
    """Check the audit trail."""


@audit_group.command("verify")
@workdir_option
def verify_all(workdir: Path | None) -> None:
    """Seal waiting acts, then check all chains, also against the heads signed outside the database.

    If all chains are whole, sign their heads.
    """
    runtime = runtime_of(workdir)
    heads = SignedHeads(runtime.settings.workdir, Signer(runtime.signing_key))
    with opened(runtime) as database:
        while seal(database):
            pass
        try:
            broken = _check(database, heads)
            if not broken:
                heads.sign(database)
        except HeadsForged as error:
            raise CommandStopped(f"the file of signed heads belongs to another deployment: {error}") from None
    if broken:
        raise CommandStopped(f"{broken} broken")


@audit_group.command("role")
@click.option("--name", default=ROLE, show_default=True, help="Name of the role.")
def show_role(name: str) -> None:
    """Print SQL that makes a role which can change no act of the trail, for the owner of an outside database to run."""
    click.echo(print_role(name), nl=False)


def _check(database: Database, heads: SignedHeads) -> int:
    """Says of each chain how it is; how many are broken. A chain that was signed and is gone counts. `HeadsForged`."""
    signed = heads.check(database)
    chains = sorted({*list_chains(database), *heads.read()}, key=lambda scope: (scope.tenant, scope.org))
    broken = 0
    for scope in chains:
        bad = verify(database, scope)
        if bad is not None:
            verdict = f"broken at entry {bad}"
        elif scope in signed:
            verdict = f"rewritten: entry {signed[scope]} is not what was signed"
        else:
            verdict = "whole"
        broken += verdict != "whole"
        click.echo(f"{scope.tenant}/{scope.org}: {verdict}")
    return broken
