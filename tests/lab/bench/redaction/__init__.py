"""Redacted files of documents with personal data in every place: makers, checkers, counts."""
