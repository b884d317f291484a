"""Neural models: recognition, embeddings, names, vision-language models."""
