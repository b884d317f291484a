"""Keeping the stores in order: erasing, reconciling, retention."""
