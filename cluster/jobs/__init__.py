"""Bulk work as Ray Data programs: `ray job submit -- python -m cluster.jobs.<name>`."""
