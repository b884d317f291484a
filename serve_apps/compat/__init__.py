"""The APIs of docling-serve and unstructured in front of a service that is reached by URL."""
