"""The keyword engine: analysis, tantivy files, snippets."""
