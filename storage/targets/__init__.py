"""Targets: databases, queues and services outside Quire that receive the chunks of an organisation's documents."""
