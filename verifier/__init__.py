"""Completion claims against observed evidence."""
