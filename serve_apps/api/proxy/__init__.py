"""What runs in the process of the HTTP proxy, in front of all applications."""
