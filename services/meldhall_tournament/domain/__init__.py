"""A tournament: facts, what follows from them, what may happen next. Pure; knows only the rules."""
