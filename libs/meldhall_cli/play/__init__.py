"""`meldhall play`: a person plays a match in the terminal, over the public API, against bots."""
