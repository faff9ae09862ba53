"""Friends' tables: codes that lead to them, and the list of those that are open to all."""
