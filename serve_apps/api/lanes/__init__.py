"""Bounded places of the API, which tenants share."""
