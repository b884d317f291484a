"""An MCP server in front of a service that is reached by URL."""
