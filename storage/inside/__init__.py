"""Files inside documents: they become documents themselves."""
