"""`quire mcp`: an MCP server on standard input and output, in front of a service reached by URL.

Imports no Ray and no database; the URL may be an engine or a hosted console.
"""

import asyncio

import click

from models.cdom.version import SERVICE_VERSION
from serve_apps.mcp.server import make_server, open_client


@click.command()
@click.option("--url", envvar="QUIRE_URL", default="http://127.0.0.1:8000", show_default=True, help="The service.")
@click.option("--token", envvar="QUIRE_TOKEN", help="API key or access token of the service (QUIRE_TOKEN).")
def mcp(url: str, token: str | None) -> None:
    """Offer parse, search, get_chunks, get_fields and export_context to MCP clients over stdio."""
    asyncio.run(_serve(url, token))


async def _serve(url: str, token: str | None) -> None:
    async with open_client(url, token) as client:
        await make_server(client, SERVICE_VERSION).run_stdio_async()
