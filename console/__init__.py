"""Commands for people: `hermes tool-router …` and `/router`."""
