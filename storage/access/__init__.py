"""Access control: keys, tenants, rate limits, and the audit trail."""
