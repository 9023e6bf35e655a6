"""What may leave the machine or enter a log."""
