"""Printed content of a page as lines and marks, before classification."""
