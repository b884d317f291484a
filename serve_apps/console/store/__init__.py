"""State of the hosted console: tenants with plans, documents sent to the engine, and their results."""
