"""What stkr raises and warns of, besides Python's own ValueError, MemoryError and OSError."""

from sklearn.exceptions import ConvergenceWarning as _ConvergenceWarning

from ._core import DataError

__all__ = ["ConvergenceWarning", "DataError"]


class ConvergenceWarning(_ConvergenceWarning):
    """A fit stopped before it reached its tolerance.

    The result is there, and ``summary_`` says how far it got and what to try. It is also a
    ``sklearn.exceptions.ConvergenceWarning``.
    """
