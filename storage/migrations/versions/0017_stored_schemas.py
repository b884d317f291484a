"""Adds stored schemas, what corrections teach them, and answers of language models."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_NAMED = ("tenant", "org", "name")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _now(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "schemas", *map(_text, _NAMED), _number("version"), _text("body"), _text("created_by"), _now("created_at"),
        sa.PrimaryKeyConstraint(*_NAMED, "version"),
    )  # fmt: skip
    op.create_table(
        "schema_labels", *map(_text, (*_NAMED, "path", "label", "taught_by")), _now("taught_at"),
        sa.PrimaryKeyConstraint(*_NAMED, "path", "label"),
    )  # fmt: skip
    op.create_table(
        "schema_corrections", *map(_text, (*_NAMED, "document_id")), _number("attempt"), _text("path"),
        _text("block_id"), _number("cell", nullable=True), _number("start_at"), _number("end_at"),
        _text("corrected_by"), sa.PrimaryKeyConstraint(*_NAMED, "document_id", "attempt", "path"),
    )  # fmt: skip
    op.create_index("schema_corrections_by_document", "schema_corrections", ["document_id"])
    op.create_table(
        "model_answers", *map(_text, ("document_id", "digest", "answer")), _now("answered_at"),
        sa.PrimaryKeyConstraint("document_id", "digest"),
    )  # fmt: skip


def downgrade() -> None:
    """Drop the tables."""
    for table in ("model_answers", "schema_corrections", "schema_labels", "schemas"):
        op.drop_table(table)
