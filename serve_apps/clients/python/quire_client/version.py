"""Version of the client; equal to the version of the service whose operations it has."""

VERSION = "0.14.0"
