"""The hosted console: accounts, tokens and plans in front of an engine reached by URL."""
