"""What happens before a service runs: checks, database, runtime file, launch; and how it is stopped."""
