"""Documents as objects: typed trees, tables as data frames, search hits, and folders to read."""
