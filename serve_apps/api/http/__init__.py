"""HTTP layer: outer middleware, bodies, uploads, compression, refusals and their table."""
