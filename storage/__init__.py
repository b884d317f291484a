"""All state: SQL, blobs, artifacts, outbound calls. Takes and gives plain data; knows no reader, model or web framework."""
