"""Text embeddings: texts in, vectors out; the tokenizer is the model's own."""
