"""Errors and warnings of stkr, besides Python's ValueError, MemoryError and OSError."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning as _ConvergenceWarning

from ._core import DataError

__all__ = ["ConvergenceWarning", "DataError"]


class ConvergenceWarning(_ConvergenceWarning):
    """A fit stopped before it reached its tolerance.

    The result is available; ``summary_`` has its residual and advice. It is also a
    ``sklearn.exceptions.ConvergenceWarning``.
    """


def warn_unless_converged(summary: dict[str, Any], stacklevel: int) -> None:
    """Warn with the library's message, in which parameters get their Python names."""
    if summary["converged"]:
        return
    advice = summary["message"].replace("max_iterations", "max_iter").replace("tolerance", "tol")
    warnings.warn(
        f"{summary['solver']} stopped: {summary['stop_reason']}, residual "
        f"{summary['residual']:.1e}. {advice}",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )
