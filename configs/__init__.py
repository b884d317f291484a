"""Settings, container images and files for the tools around the service."""
