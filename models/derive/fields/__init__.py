"""A tree to labelled fields: fragments, labels, values, and what bills show without labels."""
