"""HTTP itself: the outer layer, bodies, uploads, compression, refusals and their table."""
