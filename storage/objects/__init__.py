"""Originals and derived files: local folders or a bucket, durable and content-addressed."""
