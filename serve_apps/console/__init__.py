"""The hosted console: accounts, tokens and plans in front of an engine that is reached by URL."""
