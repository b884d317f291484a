"""The package under a Word file: parts, relationships, XML, properties."""
