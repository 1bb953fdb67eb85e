"""Learning from few labels by spectrally transformed kernel regression."""

from ._core import __version__

__all__ = ["__version__"]
