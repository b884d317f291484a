"""Counts what a process says to PostgreSQL: statements by their first words, and the transactions around them.

Every connection made after `count_statements` is counted; figures are of this process alone.
"""

from collections import Counter
from typing import Any

import psycopg
from psycopg.rows import DictRow


def count_statements() -> Counter[str]:
    """Start counting statements; the counter keeps running."""
    counts: Counter[str] = Counter()
    plain_execute, plain_command = psycopg.Cursor.execute, psycopg.Connection._exec_command

    def execute(self: psycopg.Cursor[DictRow], query: Any, *values: Any, **named: Any) -> Any:
        counts[_name(query)] += 1
        return plain_execute(self, query, *values, **named)

    def command(self: psycopg.Connection[DictRow], query: Any, *values: Any, **named: Any) -> Any:
        counts[_name(query)] += 1
        return plain_command(self, query, *values, **named)

    psycopg.Cursor.execute = execute  # type: ignore[assignment]
    psycopg.Connection._exec_command = command  # type: ignore[assignment]
    return counts


def _name(query: Any) -> str:
    text = query if isinstance(query, str) else bytes(query).decode() if isinstance(query, bytes) else str(query)
    return " ".join(text.split())[:60]
