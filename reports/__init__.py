"""Tables and pages made from the log."""
