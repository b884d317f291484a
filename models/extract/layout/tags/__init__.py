"""Structure tags of a document, used if the page agrees with them."""
