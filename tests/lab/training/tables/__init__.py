"""Training of the table forests: truth, candidates, fits."""
