"""TournamentService: messages to commands, facts to messages."""
