"""Where deployments may run and how many: labels, sizes, autoscaling policies, health of pools."""
