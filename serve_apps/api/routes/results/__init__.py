"""Routes that return results: trees, derivations, exports, pictures, search, review."""
