"""A tool call to a verdict: rules, questions, ladder, single-use proposals."""
