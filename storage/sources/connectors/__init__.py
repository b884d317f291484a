"""Where sources pull from: a connector lists files and copies one at a time. Which exist: `directory`, `bucket`."""
