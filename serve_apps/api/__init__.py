"""HTTP API of Quire: app, routes, request intake, response shapes."""
