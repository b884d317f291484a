"""Other people's doors to the same service: a docling-serve route and an MCP server, thin layers over its HTTP."""
