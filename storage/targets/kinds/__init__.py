"""Built-in kinds of targets, one module each. A module imports its client library, so only used kinds load one."""
