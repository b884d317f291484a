"""What is installed by name: `make dist` builds it."""
