"""Faults of a disk, a bucket, a clock or a process without handles, and their effect on stored data."""
