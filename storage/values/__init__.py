"""Plain values every room of storage shares: rows, states, errors, ids, scopes, cursors."""
