"""Forward a tenant's uploads to the engine and follow their jobs."""
