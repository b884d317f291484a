"""Who may do what: keys, tenants, limits, and the audit trail of what was done."""
