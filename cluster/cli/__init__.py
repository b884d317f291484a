"""The `quire` command, one module per command."""
