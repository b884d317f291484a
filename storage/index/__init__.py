"""The search index: a Lance table of chunks with vectors, and a keyword index derived from it.

One writer changes it and any process reads it. A row counts only while SQL publishes its (document, generation).
Imports lancedb and tantivy; knows no model, no HTTP and no Ray.
"""
