"""Everything Quire serves over HTTP: API, dashboard, guide, console, compatible interfaces and their clients."""
