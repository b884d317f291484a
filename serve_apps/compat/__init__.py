"""APIs compatible with docling-serve and unstructured, in front of a service reached by URL."""
