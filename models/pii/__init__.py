"""Personal data: found on the joined text of a tree, flagged on its blocks, masked in a copy. Tree in, tree out."""
