"""What a person sees of a PDF page: text that is invisible, covered, clipped or off the page is told apart."""
