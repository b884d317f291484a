"""The tenant filter, in one place: every statement that reads or changes a caller's rows contains OWNED."""

from typing import Any

from quire.storage.values.rows import Scope

# `j` is the jobs table; documents are reached through their job, so a deleted job hides them too.
OWNED = "j.tenant = %(tenant)s and j.org = %(org)s and j.deleted_at is null"
VISIBLE = "(d.principals is null or d.principals && %(principals)s::text[])"
"""Condition on a document `d` for a caller that acts for `principals`, users and groups."""


def owned_by(scope: Scope, **params: Any) -> dict[str, Any]:
    """Parameters of a statement with OWNED in it."""
    return {"tenant": scope.tenant, "org": scope.org, **params}
