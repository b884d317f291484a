"""The parent's side of reading one document in sandboxed children: fork server, conversation, partial results."""
