"""What a request finds around it: the caller, resources, limits, caches, those who wait."""
