"""Heat map of the scores of a selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._style import INK, SEQUENTIAL, axes_of, tick_texts

COLUMNS = ("family", "parameter", "ridge", "beta", "iterations", "class_mass", "kernel",
           "mean_test_score")
PARAMETERS = {
    "power": "power p",
    "polynomial": "polynomial, index in the grid",
    "inverse_laplacian": "η, in units of 1/λ₁",
    "diffusion": "time t",
    "kernel_pca": "dimensions d",
    "truncation": "dimensions d",
    "label_propagation": "η, in units of 1/λ₁",
}
ACROSS = {
    "ridge": "ridge, in units of the mean diagonal",
    "beta": "ridge β",
    "iterations": "steps T",
}
NAMES = {"inverse_laplacian": "inverse Laplacian", "kernel_pca": "kernel PCA"}
SHARES = ("accuracy", "balanced_accuracy", "macro_f1", "f1_macro")  # scores shown in percent
WRITTEN = 100  # cells; with more, scores would be too small to read
LEAST_FONT = 4.5  # points
DIGIT = 0.62  # width of a digit relative to its font size


def scores(cv: Any, family: Any = None, ax: Any = None) -> Any:
    """Draw the scores of one family of transforms as a heat map, parameter over ridge.

    It shows the points with the kernel and the class-mass setting of the family's best point,
    which is framed. Cells without a score are hatched. Up to 100 cells contain their scores, if
    they are large enough.

    Parameters
    ----------
    cv : STKRClassifierCV or STKRRegressorCV
        A fitted estimator, or any object with such a ``cv_results_``.
    family : str, optional
        ``"power"``, ``"inverse_laplacian"``, ``"kernel_pca"``, ``"label_propagation"`` and so on;
        the family of the best point by default.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> x = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [4.0]], 30, axis=0)
    >>> y = np.full(60, -1)
    >>> y[[0, 1, 2, 3, 4]], y[[30, 31, 32, 33, 34]] = 0, 1
    >>> cv = stkr.STKRClassifierCV(families=["power"], powers=[1, 2, 4], betas=[0.01, 0.1, 1.0])
    >>> ax = stkr.plots.scores(cv.fit(x, y))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['1', '2', '4']
    """
    results = _checked(cv)
    score = results["mean_test_score"]
    family, chosen, best = _of_family(cv, results, family)
    chosen = chosen[(results["kernel"][chosen] == results["kernel"][best])
                    & (results["class_mass"][chosen] == results["class_mass"][best])]
    across = "ridge" if results["ridge"][best] > 0 else "beta"
    if family == "label_propagation":
        across = "iterations"
    rows, row_of = np.unique(results["parameter"][chosen], return_inverse=True)
    columns, column_of = np.unique(results[across][chosen], return_inverse=True)
    table = np.full((len(rows), len(columns)), np.nan)
    table[row_of, column_of] = score[chosen]

    ax = axes_of(ax, (float(np.clip(2.0 + 0.5 * len(columns), 4.2, 9.0)),
                      float(np.clip(1.5 + 0.33 * len(rows), 2.6, 7.0))))
    mesh = _draw(ax, table)
    share, name = _scoring(cv)
    bar = ax.figure.colorbar(mesh, ax=ax, label=f"{name}, %" if share else name)
    bar.outline.set_visible(False)
    if share:
        bar.formatter = lambda value, _: f"{100 * value:g}"
        bar.update_ticks()
    if table.size <= WRITTEN:
        _write(ax, mesh, table, "{:.1f}" if share else "{:.3g}", 100 if share else 1)
    place = np.flatnonzero(chosen == best)[0]
    _frame(ax, column_of[place], row_of[place])

    _ticks(ax, table, rows, columns)
    ax.set_xlabel(ACROSS[across])
    ax.set_ylabel(PARAMETERS.get(family, "parameter"))
    kernel = results["kernel"][best] or getattr(cv, "kernel", "")
    title = [NAMES.get(family, family.replace("_", " ")), kernel if isinstance(kernel, str) else ""]
    title += ["class mass"] * bool(results["class_mass"][best])
    ax.set_title(", ".join(filter(None, title)), fontsize="medium")
    return ax


def _checked(cv: Any) -> Any:
    results = getattr(cv, "cv_results_", None)
    if results is None:
        raise ValueError(f"{type(cv).__name__} has no cv_results_; fit it first, or pass a fitted "
                         "STKRClassifierCV or STKRRegressorCV")
    missing = [name for name in COLUMNS if name not in results]
    if missing:
        raise ValueError(f"cv_results_ has no {', '.join(missing)}; expected the arrays "
                         f"{', '.join(COLUMNS)}")
    arrays = {name: np.asarray(results[name]) for name in COLUMNS}
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the arrays of cv_results_ differ in length: {lengths}")
    arrays["family"] = np.array([_plain_name(name) for name in arrays["family"]])
    arrays["mean_test_score"] = arrays["mean_test_score"].astype(float)
    if not np.isfinite(arrays["mean_test_score"]).any():
        raise ValueError("cv_results_ has no finite mean_test_score: nothing to draw")
    return arrays


def _plain_name(family: Any) -> str:
    return str(family).replace("-", "_")


def _of_family(cv: Any, results: Any, family: Any) -> Any:
    """Return the family's name, the indices of its points, and that of the best one."""
    score = results["mean_test_score"]
    # A mean squared error is minimized: then the best score is not the largest.
    sign = -1.0 if getattr(cv, "best_score_", np.inf) < np.nanmax(score) else 1.0
    best = getattr(cv, "best_index_", np.nanargmax(sign * score))
    family = str(results["family"][best]) if family is None else _plain_name(family)
    chosen = np.flatnonzero(results["family"] == family)
    if not len(chosen):
        raise ValueError(f"family {family!r} was not tried; found "
                         f"{', '.join(dict.fromkeys(results['family']))}")
    if not np.isfinite(score[chosen]).any():
        raise ValueError(f"family {family!r} has no finite score")
    if best not in chosen:
        best = chosen[np.nanargmax(sign * score[chosen])]
    return family, chosen, best


def _scoring(cv: Any) -> Any:
    """Return whether the score is a share, and its name."""
    name = getattr(cv, "scorer_", getattr(cv, "scoring", None))
    if not isinstance(name, str):
        return False, "mean test score"
    return _plain_name(name) in SHARES, _plain_name(name).replace("_", " ")


def _draw(ax: Any, table: Any) -> Any:
    masked: Any = np.ma.masked_invalid
    # The hatched background shows in cells without a score.
    ax.patch.set(facecolor="0.94", edgecolor="0.75", hatch="////")
    mesh = ax.pcolormesh(np.arange(table.shape[1] + 1) - 0.5, np.arange(table.shape[0] + 1) - 0.5,
                         masked(table), cmap=SEQUENTIAL, edgecolors="white",
                         linewidth=1.0)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return mesh


def _cell(ax: Any, table: Any) -> Any:
    """Return the width and height of a cell in points, before the final layout."""
    extent = ax.get_window_extent()
    return (extent.width * 72 / ax.figure.dpi / table.shape[1],
            extent.height * 72 / ax.figure.dpi / table.shape[0])


def _write(ax: Any, mesh: Any, table: Any, form: Any, factor: Any) -> None:
    texts = {at: form.format(factor * value) for at, value in np.ndenumerate(table)
             if np.isfinite(value)}
    size = min(8.5, 0.9 * _cell(ax, table)[0] / (DIGIT * max(map(len, texts.values()))))
    if size < LEAST_FONT:
        return
    for (row, column), text in texts.items():
        red, green, blue, _ = mesh.to_rgba(table[row, column])
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        ax.text(column, row, text, ha="center", va="center", fontsize=size,
                color="white" if dark else INK)


def _frame(ax: Any, column: Any, row: Any) -> None:
    """Frame a cell in dark and light, which is visible on every color."""
    from matplotlib.patches import Rectangle

    for color, width in ((INK, 4.0), ("white", 1.5)):
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=color,
                               linewidth=width, clip_on=False, zorder=3))


def _ticks(ax: Any, table: Any, rows: Any, columns: Any) -> None:
    """Label the grid values: all, or every second, third, ... if there is too little room."""
    width, height = _cell(ax, table)
    texts = tick_texts(columns)
    # "$10^{-8}$" has five characters of markup, and its exponent is smaller.
    longest = max(len(text) - 5.5 if text.startswith("$") else len(text) for text in texts)
    for axis, names, room, need in ((ax.xaxis, texts, width, DIGIT * 10 * (longest + 0.7)),
                                    (ax.yaxis, tick_texts(rows), height, 11.0)):
        step = int(np.ceil(need / room))
        axis.set_ticks(np.arange(0, len(names), step), labels=names[::step])
