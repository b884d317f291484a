"""`quire mcp`: an MCP server on standard input and output, in front of a service reached by URL.

Imports no Ray and no database; whatever speaks HTTP at the URL will do, an engine or a hosted console.
"""

import sys

import click

from models.cdom.tree import SERVICE_VERSION


@click.command()
@click.option("--url", envvar="QUIRE_URL", default="http://127.0.0.1:8000", show_default=True, help="The service.")
@click.option("--token", envvar="QUIRE_TOKEN", help="A key or access token of it (QUIRE_TOKEN).")
def mcp(url: str, token: str | None) -> None:
    """Offer parse, search, get_chunks, get_fields and export_context to MCP clients over stdio."""
    import httpx

    from serve_apps.compat.mcp import McpServer

    headers = {"X-API-Key": token} if token else {}
    with httpx.Client(base_url=url, headers=headers, timeout=90, trust_env=False) as client:
        McpServer(client, SERVICE_VERSION).serve(sys.stdin, sys.stdout)
