"""SQL scripts that upgrade the schema of an earlier release; `storage/postgres/schema.py` runs them."""
