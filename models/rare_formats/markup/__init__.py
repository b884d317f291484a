"""Light markup that is typeset: LaTeX, Org, reStructuredText and Typst. Bytes in, an `OpenDocument` out."""
