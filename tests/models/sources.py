"""A test imports the modules of the reader from their sources, also where they are compiled.

Compiled modules cannot be watched or replaced in part. `QUIRE_COMPILED=1` imports them as they are, and the services
that tests start use them in any case.
"""

import os

from quire.models.import_names import import_sources

if not os.environ.get("QUIRE_COMPILED"):
    import_sources()
