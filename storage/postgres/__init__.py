"""PostgreSQL: connections, schema, tables, notices, leases."""
