"""Each with Ray clusters of its own, some of several machines: `make test-cluster`."""
