"""All state: SQL, blobs, artifacts, outbound calls. Plain data in and out; knows no reader, model or web framework."""
