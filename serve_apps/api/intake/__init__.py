"""From an upload to a queued job or a file read at once."""
