"""What a tool call does: shell grammar, Python, files, other tools.

Pure.  ``shell.parse`` reads shell text into resolved commands; see ``values.py`` for what a
:class:`~.values.Script` and a :class:`~.values.Command` hold.
"""
