"""Tickets, their states, and who is put together with whom. Plain Python."""
