"""`quire search`: passages of the service's documents at a terminal."""

import json

import click

from quire.cluster.cli.shared.remote import require_good, service_at, service_options
from quire.models.cdom.search import is_unrelated

_EXAMPLES = """\b
Examples:
  quire search "who signs the lease"
  quire search invoice total --mode fts --limit 3
  quire search "delivery date" --json | jq -r .[0].document_id
"""


@click.command(epilog=_EXAMPLES)
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--mode", type=click.Choice(["hybrid", "vector", "fts"]), default="hybrid", show_default=True)
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True, help="Maximum number of passages.")
@click.option("--document", "document_id", help="Search this document only.")
@click.option("--redacted", is_flag=True, help="Mask personal data.")
@click.option("--json", "as_json", is_flag=True, help="Print the hits as JSON, as the API returns them.")
@service_options
def search(
    words: tuple[str, ...], mode: str, limit: int, document_id: str | None, redacted: bool, as_json: bool,
    url: str, token: str | None,
) -> None:  # fmt: skip
    """Passages that answer QUERY, best first.

    Exit status: 0 something was found, 1 nothing or refused, 2 wrong use.
    """
    question = " ".join(words)
    query: dict[str, str | int | bool] = {"q": question, "mode": mode, "limit": limit, "redacted": redacted}
    if document_id:
        query["document_id"] = document_id
    with service_at(url, token) as client:
        hits = require_good(client.get("/v1/search", params=query)).json()
    if as_json:
        click.echo(json.dumps(hits, ensure_ascii=False, indent=1))
    fits = not is_unrelated(question, hits)
    for hit in hits if fits and not as_json else ():
        click.echo(click.style(f"{hit['source_file']}, page {hit['pages'][0]}", bold=True) + f"  {hit['document_id']}")
        click.echo("  " + " ".join(hit["snippet"].split()) + "\n")
    if not hits or not fits:
        click.echo("nothing fits", err=True)
        raise click.exceptions.Exit(1)
