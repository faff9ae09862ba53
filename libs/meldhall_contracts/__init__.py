"""Between messages and values of the rules, for everybody who speaks of games over the wire."""
