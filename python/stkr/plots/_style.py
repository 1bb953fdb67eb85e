"""Shared by all plots: axes, colors, tick labels and checks of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

# Ten colors that readers with color vision deficiencies can tell apart: M. Petroff, "Accessible
# color sequences for data visualization", arXiv:2107.02270 (2021).
PALETTE = ("#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6",
           "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd")
BLUE, RED = PALETTE[0], PALETTE[2]
INK = "#222222"  # outlines
SEQUENTIAL = "cividis"  # as in the heat maps of the stkr command


def pyplot() -> Any:
    """Return matplotlib.pyplot, or raise an ImportError that says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("stkr.plots needs matplotlib, which cannot be imported; install "
                          "matplotlib (pip) or python3-matplotlib (Debian)") from error
    return plt


def axes_of(ax: Any, size: Any) -> Any:
    """Return `ax`, or new axes in a figure of `size` inches with room for outside legends."""
    plt = pyplot()
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained")[1]
    if not isinstance(ax, plt.Axes):
        raise TypeError(f"ax is of type {type(ax).__name__}; pass one matplotlib Axes, "
                        "or None for a new figure")
    return ax


def plain(ax: Any, grid: Any = None) -> None:
    """Remove the top and right spines; `grid` is "x", "y", "both" or None."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid:
        ax.grid(axis=grid, color="0.9", linewidth=0.8)
        ax.set_axisbelow(True)


def legend_beside(ax: Any, handles: Any = None, **options: Any) -> Any:
    """Add a legend to the right of the axes, where it cannot hide data."""
    if handles is not None:
        options["handles"] = handles
    return ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0,
                     frameon=False, fontsize="small", title_fontsize="small", **options)


def tick_texts(values: Any) -> list[str]:
    """Return one label per value: powers of ten if all are and span decades, else decimals.

    >>> tick_texts([0.999999, 0.7, 64])
    ['0.999999', '0.7', '64']
    >>> tick_texts([1e-8, 1e-2, 1e3])
    ['$10^{-8}$', '$10^{-2}$', '$10^{3}$']
    >>> tick_texts([1 / 3, 2.5])
    ['0.333', '2.5']
    """
    values = np.asarray(values, dtype=float)
    if len(values) > 1 and np.all(values > 0) and np.ptp(np.log10(values)) > 3:
        exponents = np.log10(values)
        if np.allclose(exponents, np.round(exponents), atol=1e-9):
            return [f"$10^{{{int(e)}}}$" for e in np.round(exponents)]
    for digits in range(3, 13):
        texts = [_shortest(v, digits) for v in values]
        if len(set(texts)) == len(set(values.tolist())):
            break
    return texts


def _shortest(value: Any, digits: int) -> str:
    """Format with all digits if they are few, otherwise with `digits` digits."""
    text = f"{value:.12g}"
    return (text if len(text) <= 8 else f"{value:.{digits}g}").replace("e-0", "e-")


def finite_array(values: Any, name: Any, dimensions: int) -> Any:
    """Return `values` as a non-empty array of finite reals with this many dimensions."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {array.dtype.name} values; expected real numbers")
    if array.ndim != dimensions or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; expected {dimensions} "
                         f"dimension{'s' if dimensions > 1 else ''} and at least one entry")
    bad = np.count_nonzero(~np.isfinite(array))
    if bad:
        raise ValueError(f"{name} has {bad} NaN or infinite entries out of {array.size}; "
                         "expected finite numbers")
    return array.astype(float)
