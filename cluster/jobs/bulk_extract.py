"""`python -m quire.cluster.jobs.bulk_extract FROM`: read a corpus on all CPUs, into a folder or the service.

FROM is a folder, a file or s3://…. With `-o TO` (a folder that every node sees, or s3://…) no service is needed; with
`--into-service` the documents appear in the service's store. What is done is skipped. Progress goes to the job log, a
summary as JSON to stdout. `--schema s.json` writes the values that a JSON Schema describes, one row per document, as
JSONL or Parquet; a document that cannot be read has a row with its error.
"""

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import click

from quire.cluster.bootstrap.vlm import choose_vlm
from quire.cluster.cli.documents.extract_formats import EXTRACT_FORMATS, make_data_writer
from quire.cluster.errors import StartRefused
from quire.cluster.jobs.work.folders import FolderUnavailable, absolute_url
from quire.cluster.jobs.work.kinds import Shape
from quire.cluster.jobs.work.ledger import WorkItem, find_items, read_manifest
from quire.cluster.jobs.work.outputs import DATA
from quire.cluster.jobs.work.service import find_service
from quire.cluster.jobs.work.spread import JobStopped
from quire.cluster.jobs.work.to_folder import FolderJob, OtherResults, look_at_folder, read_into_folder
from quire.cluster.jobs.work.to_service import ServiceJob, find_fresh, read_into_service
from quire.models.cdom.original import OcrMode
from quire.models.cdom.ports import PortUnavailable
from quire.serve_apps.access.license import LicenseRefused
from quire.serve_apps.api.http.refusals import InvalidField
from quire.serve_apps.api.shapes.principals import read_principals
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Scope


@click.command()
@click.argument("source", metavar="FROM")
@click.option("-o", "--output", metavar="TO", help="Folder that every node sees, or s3://bucket/prefix.")
@click.option("--to", "formats", multiple=True, default=("tree",), type=click.Choice(list(EXTRACT_FORMATS)))
@click.option("--schema", type=click.File("rb"), help="Values by this JSON Schema instead; JSONL unless --as says so.")
@click.option("--as", "shape", type=click.Choice([shape.value for shape in Shape]), help="files by default.")
@click.option("--redacted", is_flag=True, help="Mask personal data; file names are not shown.")
@click.option("--again", is_flag=True, help="Read failed documents again.")
@click.option("--into-service", is_flag=True, help="Put the documents into the service's store instead.")
@click.option("--tenant", help="Tenant that gets the documents: a key's name.")
@click.option("--org", default="default", show_default=True, help="And which of its organisations'.")
@click.option("--corpus", help="Name under which the service knows the documents of FROM; FROM itself by default.")
@click.option(
    "--principals", default="", metavar="NAMES", help="Users and groups that may find them, with commas between."
)
@click.option("--workdir", type=click.Path(path_type=Path), help="Of a service on this machine; else that of the node.")
@click.option("--manifest", type=click.Path(exists=True, dir_okay=False), help="Names below FROM, one a line.")
@click.option("--workers", type=click.IntRange(1, 10_000), help="Documents read at once; one per CPU by default.")
@click.option("--ocr", type=click.Choice([mode.value for mode in OcrMode]), default=OcrMode.AUTO.value)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def main(
    source: str, output: str | None, formats: tuple[str, ...], schema: BinaryIO | None, shape: str | None,
    redacted: bool, again: bool,
    into_service: bool, tenant: str | None, org: str, corpus: str | None, principals: str,
    workdir: Path | None, manifest: str | None,
    workers: int | None, ocr: str, dry_run: bool,
) -> None:  # fmt: skip
    """Read a corpus; resumable, each document once."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if (output is None) == (not into_service):
        raise click.UsageError("say where to: either -o TO or --into-service")
    wanted = _read_schema(schema) if schema is not None else None
    if wanted is not None and into_service:
        raise click.UsageError("--schema needs -o TO")
    try:
        names = None if manifest is None else read_manifest(Path(manifest).read_text())
        root, items = find_items(absolute_url(source), names)
    except NotADirectoryError:
        raise click.UsageError(f"no such folder: {source}") from None
    if output is not None:
        vlm, key = _choose_vlm()
        job = FolderJob(
            source=root, output=absolute_url(output),
            formats=tuple(dict.fromkeys(formats)) if wanted is None else (DATA,),
            shape=Shape(shape or (Shape.FILES if wanted is None else Shape.JSONL)),
            ocr=OcrMode(ocr), redacted=redacted, schema=wanted, vlm=vlm, vlm_key=key,
        )  # fmt: skip
        _end(lambda: _into_folder(job, items, workers, again=again, dry_run=dry_run))
        return
    if tenant is None:
        raise click.UsageError("--into-service needs --tenant")
    try:
        service = ServiceJob(
            source=root, corpus=corpus or root, scope=Scope(tenant=tenant, org=org), ocr=OcrMode(ocr),
            service=find_service(workdir), principals=read_principals(principals),
        )  # fmt: skip
    except StartRefused as error:
        raise click.ClickException(str(error)) from None
    except InvalidField as error:
        raise click.UsageError(f"--principals: {error}") from None
    _end(lambda: _into_service(service, items, workers, dry_run=dry_run))


def _choose_vlm() -> tuple[str | None, str | None]:
    """Return SVC_VLM_OCR, complete with the model of an endpoint, and its key. Raises `click.UsageError`."""
    value, key = os.environ.get("SVC_VLM_OCR"), os.environ.get("SVC_VLM_KEY")
    if not value:
        return None, None
    try:
        return choose_vlm(value, key).setting, key
    except StartRefused as error:
        raise click.UsageError(str(error)) from None


def _read_schema(file: BinaryIO) -> str:
    """Return the JSON text of a schema that can be used. Raises `click.UsageError`."""
    try:
        schema = json.load(file)
    except (ValueError, RecursionError):
        raise click.UsageError("--schema: the file is not JSON") from None
    make_data_writer(schema)
    return json.dumps(schema)


def _into_folder(
    job: FolderJob, items: list[WorkItem], workers: int | None, *, again: bool, dry_run: bool
) -> dict[str, Any]:
    if dry_run:
        return look_at_folder(job.output, items)
    try:
        return read_into_folder(job, items, workers, again=again)
    except OtherResults:
        raise click.UsageError(
            f"{job.output} holds results of other options or another version; take a new folder"
        ) from None


def _into_service(job: ServiceJob, items: list[WorkItem], workers: int | None, *, dry_run: bool) -> dict[str, Any]:
    try:
        if dry_run:
            return {"documents": len(items), "to_read": len(find_fresh(job, job.service.runtime(), items))}
        return read_into_service(job, items, workers)
    except (LicenseRefused, StartRefused) as error:
        raise click.ClickException(str(error)) from None


def _end(work: Callable[[], dict[str, Any]]) -> None:
    """Print the summary, or fail with one line that names the reason."""
    try:
        click.echo(json.dumps(work()))
    except (JobStopped, FolderUnavailable, PortUnavailable, StorageError) as error:
        raise click.ClickException(f"stopped, run it again to go on: {error or type(error).__name__}") from None


if __name__ == "__main__":
    main()
