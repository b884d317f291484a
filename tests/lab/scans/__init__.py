"""Made scans with truth: receipts in eight scripts, forms, tables without rules, turned pages."""
