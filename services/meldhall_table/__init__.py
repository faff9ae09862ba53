"""The table engine: tables, seats, rounds and matches of every game, one owner a table."""
