"""Detectors by name: patterns alone, or patterns and a language model."""
