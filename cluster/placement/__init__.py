"""Placement and number of replicas: labels, sizes, autoscaling policies, health of pools."""
