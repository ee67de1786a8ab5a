"""``python -m onekernel`` is the ``onekernel`` command line."""

from .cli import main

main()
