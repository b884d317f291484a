"""Commands for operators of a deployment: keys, licences, tenants, audit, backups, indexes."""
