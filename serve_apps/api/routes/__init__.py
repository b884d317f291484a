"""Routes of the API, by the kind of resource."""
