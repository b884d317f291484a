"""Benchmarks of lists with many rows."""
