"""Metrics for Prometheus, on a port of their own.

They need no token there, and so must be out of reach of those who use the gateway: the port is bound to loopback unless
somebody says otherwise. What the serving code counts anyway is looked at every few seconds; only what is measured
nowhere else is told when it happens. No label holds what a caller chose.
"""
