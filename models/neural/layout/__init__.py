"""What stands where on the picture of a page: a detector of layout elements, as a second opinion beside the rules."""
