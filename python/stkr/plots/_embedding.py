"""Plot of samples in two spectral coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._style import INK, PALETTE, SEQUENTIAL, axes_of, finite_array, legend_beside, plain, pyplot

RASTER = 5000  # above this many points, they are rasterized to keep vector files small


def embedding(Z: Any, labels: Any, labeled: Any = None, ax: Any = None, *, columns: Any = (0, 1)) -> Any:
    """Draw two columns of an embedding, colored by label.

    Parameters
    ----------
    Z : array of shape (n_samples, n_components)
        Such as ``estimator.transform(X)``; at least two columns. If the kernel is a walk or
        normalized, the first column hardly varies: ``columns=(1, 2)`` shows more.
    labels : array of shape (n_samples,)
        Colors: classes (integers, strings, booleans) or numbers (floats), such as
        ``estimator.transduction_``. Up to ten classes get a legend, more get a color bar.
    labeled : mask or indices, optional
        Labeled samples, which are drawn larger and with an outline.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    columns : pair of int, default=(0, 1)
        The columns to draw, counted from 0.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> angle = np.linspace(0, 6, 40)
    >>> Z = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> ax = stkr.plots.embedding(Z, (angle > 3).astype(int), labeled=[0, 39])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1', 'labeled']
    """
    points = finite_array(Z, "Z", 2)
    if points.shape[1] < 2:
        raise ValueError("Z has one column; expected at least two (n_components=2 or more)")
    first, second = _columns(columns, points.shape[1])
    points = points[:, [first, second]]
    labels = _checked_labels(labels, len(points))
    marked = _mask(labeled, len(points))
    ax = axes_of(ax, (5.2, 4.0))

    numbers = labels.dtype.kind == "f"
    classes, codes = (None, labels) if numbers else np.unique(labels, return_inverse=True)
    colors, style = _colors(classes, codes)
    size = float(np.clip(6000 / len(points), 5, 28))
    ax.scatter(*points[~marked].T, c=colors[~marked], s=size, linewidths=0, alpha=0.8,
               rasterized=len(points) > RASTER, **style)
    if marked.any():
        larger = float(np.clip(2000 / marked.sum(), 1.5 * size, 60))
        ax.scatter(*points[marked].T, c=colors[marked], s=larger, edgecolors=INK, linewidths=1.0,
                   zorder=3, **style)
    _key(ax, classes, style, bool(marked.any()))
    plain(ax)
    ax.set_xlabel(f"spectral coordinate {first + 1}")
    ax.set_ylabel(f"spectral coordinate {second + 1}")
    ax.locator_params(nbins=5)
    return ax


def _columns(columns: Any, count: Any) -> Any:
    pair = np.asarray(columns)
    if pair.shape != (2,) or pair.dtype.kind not in "iu" or not ((0 <= pair) & (pair < count)).all():
        raise ValueError(f"columns={columns!r}; expected two of the numbers 0 to {count - 1}")
    return int(pair[0]), int(pair[1])


def _checked_labels(labels: Any, count: Any) -> Any:
    labels = np.asarray(labels)
    if labels.shape != (count,):
        raise ValueError(f"labels has shape {labels.shape}; expected ({count},), one per row of "
                         "Z")
    if labels.dtype.kind == "O":
        kinds = {type(value).__name__ for value in labels}
        if len(kinds) > 1:
            raise ValueError(f"labels mixes {', '.join(sorted(kinds))}; expected one type, such as "
                             "the predictions of an estimator")
    return finite_array(labels, "labels", 1) if labels.dtype.kind == "f" else labels


def _mask(labeled: Any, count: Any) -> Any:
    mask = np.zeros(count, dtype=bool)
    if labeled is None:
        return mask
    labeled = np.asarray(labeled)
    if labeled.dtype == bool:
        if labeled.shape != (count,):
            raise ValueError(f"labeled is a mask of shape {labeled.shape}; expected ({count},), "
                             "one per row of Z")
        return labeled.copy()
    if labeled.size == 0:
        return mask
    if labeled.ndim != 1 or labeled.dtype.kind not in "iu":
        raise ValueError(f"labeled is an array of {labeled.dtype.name} with shape {labeled.shape}; "
                         "expected a mask or a list of row numbers")
    if labeled.min() < 0 or labeled.max() >= count:
        raise ValueError(f"labeled has row numbers from {labeled.min()} to {labeled.max()}; "
                         f"expected 0 to {count - 1}")
    mask[labeled] = True
    return mask


def _colors(classes: Any, codes: Any) -> Any:
    """Return `scatter`'s colors, one per sample, and the options they need."""
    if classes is not None and len(classes) <= len(PALETTE):
        return np.array(PALETTE)[codes], {}
    if classes is not None:
        return codes, {"cmap": pyplot().get_cmap("viridis", len(classes)),
                       "vmin": -0.5, "vmax": len(classes) - 0.5}
    return codes, {"cmap": SEQUENTIAL, "vmin": codes.min(), "vmax": codes.max()}


def _key(ax: Any, classes: Any, style: Any, marked: Any) -> None:
    """Add the legend or the color bar."""
    from matplotlib.lines import Line2D

    outline = Line2D([], [], linestyle="", marker="o", markersize=8, markerfacecolor="none",
                     markeredgecolor=INK, markeredgewidth=1.0, label="labeled")
    if not style:
        handles = [Line2D([], [], linestyle="", marker="o", color=color, label=str(name))
                   for name, color in zip(classes, PALETTE)]
        legend_beside(ax, handles + [outline] * marked, title="class")
        return
    bar = ax.figure.colorbar(ax.collections[0], ax=ax,
                             label="label" if classes is None else "class")
    bar.solids.set_alpha(1)
    bar.outline.set_visible(False)
    if classes is not None:
        shown = np.arange(0, len(classes), -(-len(classes) // 12))
        bar.set_ticks(shown, labels=[str(classes[i]) for i in shown])
    if marked:
        ax.legend(handles=[outline], loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False,
                  fontsize="small", borderaxespad=0.0)
