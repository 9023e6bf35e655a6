"""What a tool call does: shell grammar, Python, files, other tools."""
