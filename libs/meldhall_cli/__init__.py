"""The command `meldhall`: the local stack, single services, demo, replay, checks, benches."""
