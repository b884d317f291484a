"""From an original and what was decided about it: a file of the same kind that may be handed out, or a refusal."""
