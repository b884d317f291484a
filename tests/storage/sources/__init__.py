"""Places to pull from: what a sync takes and removes, and the fence around it."""
