"""`quire get`: what the service read from a document, or everything of a job, to a file or to standard output."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quire.cluster.cli.shared.choices import NamedChoice
from quire.cluster.cli.shared.options import CommandStopped
from quire.cluster.cli.shared.remote import require_good, service_at, service_options
from quire.models.export import ALIASES, OUTPUTS

if TYPE_CHECKING:
    import httpx

_EXAMPLES = """\b
Examples:
  quire get doc_abc… --to md           Markdown to standard output
  quire get doc_abc… --to chunks -o chunks.json
  quire get job_abc… -o all.zip        all results of a job as a ZIP
"""


@click.command(epilog=_EXAMPLES)
@click.argument("id")
@click.option(
    "--to", type=NamedChoice(list(OUTPUTS), ALIASES), default="markdown", show_default=True,
    metavar="|".join(OUTPUTS), help="Output format for a document (md, json).",
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path, allow_dash=True), default=Path("-"), help="A file.")
@click.option("--redacted", is_flag=True, help="Mask personal data.")
@service_options
def get(id: str, to: str, output: Path, redacted: bool, url: str, token: str | None) -> None:
    """Get one output of document ID, or a zip of job ID.

    Exit status: 0 done, 1 refused, 2 wrong use.
    """
    if id.startswith("job_") and output == Path("-") and sys.stdout.isatty():
        raise click.UsageError("a job is downloaded as a ZIP; name a file with -o")
    with service_at(url, token) as client:
        path = f"/v1/jobs/{id}/archive" if id.startswith("job_") else _output_of(client, id, to)
        with client.stream("GET", path, params={"redacted": redacted}) as answer:
            _save(require_good(answer), output)


def _output_of(client: "httpx.Client", id: str, to: str) -> str:
    document = require_good(client.get(f"/v1/documents/{id}")).json()
    if document["status"] != "succeeded":
        error = f": {document['error']}" if document["error"] else ""
        raise CommandStopped(f"{document['source_file']} is {document['status']}{error}")
    return f"/v1/jobs/{document['job_id']}/documents/{id}/{OUTPUTS[to].path}"


def _save(answer: "httpx.Response", output: Path) -> None:
    if output == Path("-"):
        for piece in answer.iter_bytes():
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    partial = output.with_name(f".{output.name}.partial")
    try:
        with partial.open("wb") as file:
            for piece in answer.iter_bytes():
                file.write(piece)
        shutil.move(partial, output)
    except OSError as error:
        raise CommandStopped(f"cannot write {output}: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
    click.echo(f"→ {output}", err=True)
