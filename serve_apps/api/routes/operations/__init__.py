"""Routes for operators and monitors."""
