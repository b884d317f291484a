"""Connectors of sources, which list files and copy one at a time: `directory` and `bucket`."""
