"""Request context: the caller, resources, limits, caches and waiters."""
