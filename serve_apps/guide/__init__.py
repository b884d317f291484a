"""The documentation as a site of the service, at /guide/."""
