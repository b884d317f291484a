"""What readers parsed, for the statement."""
