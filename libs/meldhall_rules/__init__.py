"""The rules of the games: entirely functional, immutable, without side effects."""
