"""MCP server in front of a service reached by URL."""
