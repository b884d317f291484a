"""Alembic's environment: runs our metadata against the connection that `quire.storage.postgres.schema` passes in."""

from alembic import context
from sqlmodel import SQLModel

from quire.storage.postgres import operator_tables, tables  # noqa: F401  (fill the metadata)

connection = context.config.attributes["connection"]
context.configure(
    connection=connection, target_metadata=SQLModel.metadata, compare_type=True, compare_server_default=False
)
with context.begin_transaction():
    context.run_migrations()
