"""`quire upload`: files and folders to the service, in jobs of a few files, with progress."""

from collections.abc import Iterator
from pathlib import Path

import click
from quire_client import ApiError, Client, ConnectionFailed

from quire.cluster.cli.documents.extract_files import NoSuchFile, find_files
from quire.cluster.cli.documents.reports import explain_skipped, name_skipped
from quire.cluster.cli.shared.options import CommandStopped
from quire.cluster.cli.shared.progress import ProgressBar
from quire.cluster.cli.shared.remote import local_token, service_options

FILES_OF_A_JOB = 10
"""Files sent as one job: the service accepts 10 unless its operator changed SVC_MAX_BATCH_FILES."""
_PATIENCE_S = 86_400.0
"""Seconds that `--wait` waits for a job: a day, as documents of other tenants may be before it."""
_EXAMPLES = """\b
Examples:
  quire upload report.pdf             the id of its job
  quire upload scans/ --wait          a folder; wait until all are read
"""


@click.command(epilog=_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--wait", "waits", is_flag=True, help="Wait until the documents are read.")
@service_options
def upload(paths: tuple[str, ...], waits: bool, url: str, token: str | None) -> None:
    """Send files, folders and patterns to the service; print a line of job, document and file for each.

    Exit status: 0 all were accepted (with --wait: read), 1 some were not, 2 wrong use.
    """
    try:
        selection = find_files(paths)
    except NoSuchFile as error:
        raise click.UsageError(f"no such file: {error}") from None
    if not selection.files:
        raise click.UsageError("no document found" + name_skipped(selection.skipped))
    click.echo(explain_skipped(selection.skipped), err=True, nl=False)
    files = [file.path for file in selection.files]
    with ProgressBar(len(files)).shown() as bar, Client(url, token or local_token(url)) as client:
        try:
            sent = dict(_send(client, files, bar, counts=not waits))
            failed = len(files) - sum(sent.values())
            if waits:
                failed += sum(_wait(client, job_id, bar) for job_id in sent)
        except ConnectionFailed:
            raise CommandStopped(f"no service answers at {url}; start one with `quire up`, or set --url") from None
    if failed:
        raise CommandStopped(f"{failed} of {len(files)} files were not {'read' if waits else 'accepted'}")


def _send(client: Client, files: list[Path], bar: ProgressBar, *, counts: bool) -> Iterator[tuple[str, int]]:
    """Yield the id and the number of files of each accepted job; `counts`: an accepted file is progress."""
    for start in range(0, len(files), FILES_OF_A_JOB):
        group = files[start : start + FILES_OF_A_JOB]
        try:
            job = client.create_job([*group])
        except ApiError as error:
            bar.print_line(f"{', '.join(path.name for path in group)}: {error}")
            continue
        for document, path in zip(job["pending"], group, strict=False):
            click.echo(f"{job['id']}  {document['document_id']}  {path}")
            if counts:
                bar.step(path.name)
        yield job["id"], len(group)


def _wait(client: Client, job_id: str, bar: ProgressBar) -> int:
    """Wait for a job and return how many of its documents were not read."""
    ended = client.wait(job_id, timeout_s=_PATIENCE_S)["documents"]
    for document in ended:
        bar.step(document["source_file"])
        if document["error"]:
            bar.print_line(f"{document['source_file']}: {document['error']}")
    return sum(document["error"] is not None for document in ended)
