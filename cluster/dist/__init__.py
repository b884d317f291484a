"""Packages of the server for installation; `make dist` builds them."""
