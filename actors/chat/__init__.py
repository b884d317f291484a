"""Calls of OpenAI-compatible endpoints."""
