"""`quire mcp`: an MCP server on standard input and output, in front of a service reached by URL.

Imports no Ray and no database; the URL may be an engine or a hosted console.
"""

import asyncio
from pathlib import Path

import click

from quire.models.cdom.version import SERVICE_VERSION
from quire.serve_apps.mcp.server import make_server, open_client


@click.command()
@click.option("--url", envvar="QUIRE_URL", default="http://127.0.0.1:8000", show_default=True, help="The service.")
@click.option("--token", envvar="QUIRE_TOKEN", help="API key or access token of the service (QUIRE_TOKEN).")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    show_default="working folder",
    help="Folder whose files may be read.",
)
@click.option("--urls", is_flag=True, help="Allow web addresses, which the service fetches.")
@click.option(
    "--principals",
    metavar="NAMES",
    help="Users and groups of whose documents alone the model may know, separated by commas.",
)
def mcp(url: str, token: str | None, root: Path, urls: bool, principals: str | None) -> None:
    """Offer parse, search, get_chunks, get_fields and export_context to MCP clients over stdio."""
    asyncio.run(_serve(url, token, root, urls, principals))


async def _serve(url: str, token: str | None, root: Path, urls: bool, principals: str | None) -> None:
    async with open_client(url, token, principals) as client:
        await make_server(client, SERVICE_VERSION, root, urls=urls).run_stdio_async()
