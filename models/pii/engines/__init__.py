"""Detectors by name: patterns alone, or a language model beside them."""
