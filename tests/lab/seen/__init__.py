"""Compares what programs draw of a file with what its tree holds."""
