"""What `./demo` shows of the Python package."""

import stkr

print(f"\nThe Python package stkr {stkr.__version__} is importable: see docs/python.md.")
