"""What several commands share: options, settings with readable refusals, the running database."""
