"""Tournaments: from registration over rounds and standings to the prizes."""
