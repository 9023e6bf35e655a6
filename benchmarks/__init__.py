"""Measurements: tokens, routes, sessions, latency and the suites of every module."""
