"""Labelled fields of a tree: fragments, labels, values, and the unlabelled fields of bills."""
