"""What search needs running: the embedder, the searcher and the one holder of the index."""
