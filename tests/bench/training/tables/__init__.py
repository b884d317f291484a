"""Training of the forests of tables: truth, candidates beside it, fits."""
