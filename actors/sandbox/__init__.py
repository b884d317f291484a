"""The locked-down process that opens documents. `server.py` runs in it; the parent's side is `actors/forkserver.py`."""
