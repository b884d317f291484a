"""Commands of the terminal under stress."""
