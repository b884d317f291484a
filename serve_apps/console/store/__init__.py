"""State of the hosted console: who pays for what, what was sent to the engine, and what became of it."""
