"""Commands about files: extract, inspect, and the MCP door."""
