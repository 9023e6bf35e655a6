"""Drive real Hermes turns in a scratch home against a loopback model."""
