"""The locked-down process that opens documents: `server.py` runs in it, `actors/reading` is the parent's side."""
