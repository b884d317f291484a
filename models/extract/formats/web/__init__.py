"""Books made of web pages (.epub)."""
