"""Progress of long calls."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

from ._checks import check_flag

Shown = Callable[[str, int, int, float], None]


def _tqdm() -> Any:
    """Return tqdm's class of bars, or None if it is not installed."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None


class _Bars:
    """A bar of tqdm per phase; each replaces the one before. An empty phase ends the last one."""

    def __init__(self, make: Any) -> None:
        self._make = make
        self._bar: Any = None
        self._phase = ""

    def __call__(self, phase: str, done: int, total: int, fraction: float) -> None:
        if phase != self._phase:
            if self._bar is not None:
                self._bar.close()
            self._bar = None
            self._phase = phase
            if phase:
                self._bar = self._make(
                    total=100,
                    desc=phase,
                    leave=False,
                    bar_format="{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}]",
                )
        if self._bar is not None:
            self._bar.update(round(100 * fraction) - self._bar.n)


class _Lines:
    """A line of text when a phase begins and every few seconds."""

    def __init__(self, interval: float = 5.0) -> None:
        self._interval = interval
        self._phase = ""
        self._last = 0.0

    def __call__(self, phase: str, done: int, total: int, fraction: float) -> None:
        now = time.monotonic()
        if not phase or (phase == self._phase and now - self._last < self._interval):
            return
        self._phase, self._last = phase, now
        share = f" {100 * fraction:.0f}%" if fraction > 0 else ""
        print(f"stkr: {phase}{share}", file=sys.stderr, flush=True)


def progress_of(verbose: Any) -> Shown | None:
    """Return the function that shows progress, or None if ``verbose`` is false."""
    if not check_flag("verbose", verbose):
        return None
    tqdm = _tqdm()
    return _Lines() if tqdm is None else _Bars(tqdm)
