"""Context of console requests: resources, the engine, pages, refusals."""
