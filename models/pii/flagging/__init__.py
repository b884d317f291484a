"""Flags personal data in a tree: its texts joined, searched in windows, and repeated values found."""
