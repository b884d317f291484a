"""The client's version: that of the service whose operations it has."""

VERSION = "0.10.0"
