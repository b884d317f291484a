"""Tests with separate Ray clusters, some of several machines: `make test SUITE=cluster`."""
