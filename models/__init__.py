"""What a document is, and what reads it. Its layout may run as machine code (`models.compiled`)."""

import os

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isdir(os.path.join(_ROOT, "compiled")) or "QUIRE_COMPILED" in os.environ:
    from models.compiled import prefer_compiled

    prefer_compiled(_ROOT)
