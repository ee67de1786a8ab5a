"""The study: what each way of crossing the boundary costs on this machine, with the proof that all computed the same.

Start with `commands.py` (what the command line calls) and `study.py` (the order of the measurements);
`schema.py` describes the document that comes out, `rows.py` lists the architectures that are compared.
"""
