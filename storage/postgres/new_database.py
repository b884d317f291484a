"""Creates the tables of the SQLModel classes in an empty database. Loads SQLAlchemy."""

from typing import Any

import psycopg
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement
from sqlmodel import SQLModel

from quire.storage.postgres import console_tables, operator_tables  # noqa: F401  (fill the metadata)


def create_tables(connection: psycopg.Connection[Any]) -> None:
    """Create all tables and their indexes."""
    for table in SQLModel.metadata.sorted_tables:
        statements: list[ExecutableDDLElement] = [CreateTable(table), *map(CreateIndex, table.indexes)]
        for statement in statements:
            sql = str(statement.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
            connection.execute(sql.encode())
