"""A client of Meldhall over its public gRPC API: the demo, the benches and the tests play with it."""
