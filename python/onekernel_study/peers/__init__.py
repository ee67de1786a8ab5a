"""What teams put between a program and its kernel, each with its real library, all calling the same native kernel.

One file per peer: `serve(address, ready)` runs in a process of its own, `connect(address)` is the client's side.
"""
