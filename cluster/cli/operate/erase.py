"""`quire erase`: everything that is stored about a person, listed or deleted, with a signed report."""

import json
from pathlib import Path

import click

from quire.cluster.bootstrap.opening import open_runtime_store
from quire.cluster.cli.shared.database import runtime_of
from quire.cluster.cli.shared.options import CommandStopped, workdir_option
from quire.cluster.cli.shared.progress import ProgressBar
from quire.serve_apps.api.documents.erasing import ValueTooShort, erase_person
from quire.storage.upkeep.erasure import list_stored
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Actor, Scope


@click.command()
@workdir_option
@click.option("--person", "value", required=True, help="Name, address or number of the person, in any notation.")
@click.option("--tenant", default="default", show_default=True)
@click.option("--org", default="default", show_default=True)
@click.option("--yes", "really", is_flag=True, help="Delete what holds it; without, it is only listed.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Print the signed report as JSON.")
def erase(workdir: Path | None, value: str, tenant: str, org: str, really: bool, output: Path | None) -> None:
    """Find a person's value in every document of an organisation; with --yes delete those documents.

    Stores and index follow within seconds of the service's next round, and later backups do not hold them. Exit
    status: 0 done, 1 some documents that hold it, or may hold it, are still being read or were never read.
    """
    try:
        store = open_runtime_store(runtime_of(workdir))
        try:
            scope = Scope(tenant=tenant, org=org)
            with ProgressBar(len(list_stored(store.db, scope))).shown() as bar:
                actor = Actor(key_name="operator")
                report = erase_person(store, scope, actor, value, really=really, on_document=bar.step)
        finally:
            store.close()
    except (StorageError, ValueTooShort) as error:
        raise CommandStopped(str(error) or error.code) from None
    if output is not None:
        output.write_text(json.dumps(report, indent=1) + "\n")
    for line in report["found"]:
        click.echo(f"{line['document_id']}  {line['places']} places  {line['result']}")
    for copy in report["copies"]:
        click.echo(f"{copy['kind']} {copy['id']}  {copy['documents']} documents  {copy['result']}")
    open_ends = len(report["unread"]) + sum(line["result"] == "unfinished" for line in report["found"])
    click.echo(f"{len(report['found'])} of {report['searched']} documents contain it")
    if open_ends:
        raise CommandStopped(f"{open_ends} documents are unfinished or were never read and could not be searched")
