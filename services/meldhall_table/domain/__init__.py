"""A table as plain Python: what happens, what it makes of a table, what may happen next.

``evolve`` folds events; ``lobby``, ``play`` and ``timing`` decide them; nothing here knows a clock, chance,
the log or a message.
"""
