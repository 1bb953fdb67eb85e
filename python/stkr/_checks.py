"""Checks of scalar parameters: numbers, names and flags."""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

LARGEST_COUNT = 2**31 - 1


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def check_number(name: str, value: Any) -> float:
    if not is_number(value):
        raise ValueError(f"{name}={value!r}; expected a number")
    return float(value)


def check_positive(name: str, value: Any) -> float:
    if not is_number(value) or not value > 0 or not np.isfinite(value):
        raise ValueError(f"{name}={value!r}; expected a positive number")
    return float(value)


def check_count(name: str, value: Any) -> int:
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name}={value!r}; expected an integer of at least 1")
    if value > LARGEST_COUNT:
        raise ValueError(f"{name}={value!r}; expected at most {LARGEST_COUNT}")
    return int(value)


def check_flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r}; expected True or False")
    return bool(value)


def did_you_mean(name: Any, names: Iterable[Any]) -> str:
    """Return "; did you mean 'rbf'?", or nothing if no name is close."""
    close = difflib.get_close_matches(str(name), [str(each) for each in names], 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def check_choice(name: str, value: Any, choices: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        hint = did_you_mean(value, choices)
        raise ValueError(f"{name}={value!r}; expected one of {', '.join(choices)}{hint}")
    return value


def numbers_of(name: str, values: Any, kind: type = float) -> list[Any]:
    """Return a list of numbers, or a single number as a list."""
    fits = is_number if kind is float else is_whole
    try:
        listed = [values] if is_number(values) else list(values)
    except TypeError:
        listed = [None]
    if isinstance(values, dict) or not all(fits(value) for value in listed):
        what = "numbers" if kind is float else "integers"
        raise ValueError(f"{name}={values!r}; expected a list of {what}")
    if not listed:
        raise ValueError(f"{name} is empty; expected at least one number")
    return [kind(value) for value in listed]
