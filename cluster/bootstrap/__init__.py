"""The first things a process of a deployment opens: settings, runtime, licence, addresses, the model to run."""
