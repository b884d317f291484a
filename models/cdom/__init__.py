"""The document itself: frozen data, JSON in and out. Imports nothing of ours and knows no reader, store or service."""
