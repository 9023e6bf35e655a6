"""Text to evidence: normalise, mask, identify languages, match the rule book."""
