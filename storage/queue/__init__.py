"""The work queue: claims under a lease, the fence, publishing, ends of documents, metering."""
