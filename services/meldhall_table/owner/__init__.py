"""The owner of tables: one mailbox a live table, its timers and those who watch it."""
