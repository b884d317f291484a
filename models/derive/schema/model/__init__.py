"""Extraction with a language model that answers references only: the code cuts every value from the tree."""
