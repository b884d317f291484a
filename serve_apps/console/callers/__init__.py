"""Who calls the console, from where, how often."""
