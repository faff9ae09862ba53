"""Players that decide from a view alone, as a person at the table would."""
