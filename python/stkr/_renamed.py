"""Old names of parameters and classes, which warn."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def warn_renamed(what: str, old: str, new: str, stacklevel: int = 3) -> None:
    """Warn about an old name, by default on behalf of the caller's caller."""
    warnings.warn(
        f"{what} {old} is deprecated and will be removed in 0.3; use {new}",
        FutureWarning,
        stacklevel=stacklevel,
    )


def renamed_parameter(old: str, new: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Make a function accept a parameter by its old name. Its signature has only the new one."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if old in kwargs:
                rename(kwargs, old, new, stacklevel=4)
            return function(*args, **kwargs)

        return call

    return decorate


def rename(parameters: dict[str, Any], old: str, new: str, stacklevel: int = 4) -> None:
    """Replace the name of a parameter; warn on behalf of a caller."""
    if new in parameters:
        raise TypeError(f"got {old} and {new}, which is its new name; give {new} only")
    warn_renamed("parameter", old, new, stacklevel)
    parameters[new] = parameters.pop(old)
