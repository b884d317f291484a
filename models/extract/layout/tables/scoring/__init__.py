"""Decide which proposals are tables: build grids, compute features of finished tables, score and choose."""
