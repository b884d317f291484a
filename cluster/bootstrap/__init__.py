"""What a process of a deployment opens first: settings, runtime, licence, addresses, the model it is to run."""
