"""Routes that answer with what was read: trees, derivations, exports, pictures, search, review."""
