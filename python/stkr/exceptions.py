"""What stkr raises and warns of, besides Python's own ValueError, MemoryError and OSError."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning as _ConvergenceWarning

from ._core import DataError

__all__ = ["ConvergenceWarning", "DataError"]


class ConvergenceWarning(_ConvergenceWarning):
    """A fit stopped before it reached its tolerance.

    The result is there, and ``summary_`` says how far it got and what to try. It is also a
    ``sklearn.exceptions.ConvergenceWarning``.
    """


def warn_unless_converged(summary: dict, stacklevel: int) -> None:
    """The library's own words, with the names that parameters have in Python."""
    if summary["converged"]:
        return
    advice = summary["message"].replace("max_iterations", "max_iter").replace("tolerance", "tol")
    warnings.warn(
        f"{summary['solver']} stopped: {summary['stop_reason']}, residual "
        f"{summary['residual']:.1e}. {advice}",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )
