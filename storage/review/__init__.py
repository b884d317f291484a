"""Flags on published trees, decisions of reviewers about them, and republishing after another scan."""
