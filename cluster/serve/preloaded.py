"""What a worker of the service's Ray imports as soon as it runs (`RAY_preload_python_modules`): it has no task yet."""

from cluster.serve.lean_serve import import_serve

import_serve()
