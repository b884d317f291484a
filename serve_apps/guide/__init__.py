"""The documentation as a site of the service itself, at /guide/."""
