"""Long-running parts of search: the embedder, the searcher and the index writer."""
