"""Possible table regions: many proposals from independent generators."""
