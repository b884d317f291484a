"""What goes from a file, the same for every format, and why none is given."""
