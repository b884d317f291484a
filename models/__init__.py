"""Document model, readers, derivations, exports, personal data and neural models."""
