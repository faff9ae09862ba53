"""The log: table events as stored bytes, and back."""
