"""The only package that knows Hermes: events in, effects out."""
