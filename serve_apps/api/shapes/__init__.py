"""Shapes of answers and how rows become them."""
