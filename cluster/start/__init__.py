"""Start and stop of a service: checks, database, runtime file, launch, end."""
