"""`quire reindex`: drops the keyword indexes; the index writer rebuilds them from its table.

A running service rebuilds within a minute and answers by vector meanwhile; a stopped one rebuilds when it starts.
"""

import shutil
from pathlib import Path

import click

from quire.cluster.bootstrap.enabled import searches
from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.compose.search import index_place
from quire.cluster.runtime import read_runtime, runtime_file
from quire.cluster.state import running_state


@click.command()
@workdir_option
def reindex(workdir: Path | None) -> None:
    """Rebuild the keyword indexes of search."""
    settings = settings_from(workdir)
    state = running_state(settings.workdir)
    if state is not None:
        settings = read_runtime(runtime_file(settings.workdir)).settings
    if not searches(settings):
        raise CommandStopped("search is not configured: SVC_RAG_DB is not set")
    folders = [folder for folder in index_place(settings).keywords.glob("*") if (folder / "state.json").exists()]
    for folder in folders:
        (folder / "state.json").unlink(missing_ok=True) if state else shutil.rmtree(folder)
    when = "within a minute" if state else "at the next start"
    click.echo(f"{len(folders)} keyword indexes are built again {when}")
