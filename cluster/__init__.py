"""A deployment: settings, start and stop, placement, Serve applications and the command line."""
