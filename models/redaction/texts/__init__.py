"""Redacted files of formats that are text or marked-up text."""
