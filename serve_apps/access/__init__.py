"""Access rules: keys, scopes, callers, browser requests and the licence."""
