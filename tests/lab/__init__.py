"""Long work that `make test` does not collect: benches, chaos, simulation, conformance and training."""
