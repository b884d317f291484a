"""Benchmarks of extraction by schema: generated documents with truth, receipts and invoices, figures by kind."""
