"""Plot of what labels contribute to a score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._style import BLUE, PALETTE, RED, axes_of, finite_array, legend_beside, plain

OTHERS = "0.75"  # gray, of bars that are no single label


def contributions(parts: Any, labels: Any = None, ax: Any = None, *, output: Any = None,
                  classes: Any = None, most: Any = 12) -> Any:
    """Draw what each label contributes to one score, the largest contributions first.

    Parameters
    ----------
    parts : Contributions
        Such as ``estimator.contributions(sample)``. The bars add up to the score.
    labels : array of shape (n_labeled,), optional
        The class of each labeled sample, such as ``y[parts.labeled]``, which colors its bar; up to
        ten classes. By default, colors show the sign.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    output : int, optional
        The class or target whose score is drawn, counted from 0; the one with the largest score
        by default.
    classes : array of shape (n_outputs,), optional
        Names of the outputs, such as ``estimator.classes_``.
    most : int, default=12
        Labels with a bar of their own; the others share one.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> X = np.array([[0.0], [0.1], [0.3], [0.9], [1.0]])
    >>> y = np.array([0, 0, -1, 1, 1])
    >>> clf = stkr.STKRClassifier("rbf", length_scale=0.5, power=1, ridge=0.1).fit(X, y)
    >>> parts = clf.contributions(2)
    >>> ax = stkr.plots.contributions(parts, y[parts.labeled], classes=clf.classes_)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    by_label = finite_array(parts.by_label, "parts.by_label", 2)
    score = finite_array(parts.score, "parts.score", 1)
    column = _column(output, score)
    names = _names(classes, len(score))
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise ValueError(f"most={most!r}; expected a whole number of at least 1")
    values = by_label[:, column]
    groups, colors = _colors(labels, values)
    ax = axes_of(ax, (5.6, 3.8))

    order = np.argsort(-np.abs(values), kind="stable")
    shown, rest = np.split(order, [most])
    bars = [(str(parts.labeled[i]), values[i], colors[i]) for i in shown]
    if len(rest):
        bars.append((f"{len(rest)} other{'s' if len(rest) > 1 else ''}", values[rest].sum(), OTHERS))
    constant = float(np.asarray(parts.constant)[column])
    if constant:
        bars.append(("constant", constant, OTHERS))
    at = np.arange(len(bars))
    ax.barh(at, [bar[1] for bar in bars], color=[bar[2] for bar in bars], height=0.75)
    ax.set_yticks(at, labels=[bar[0] for bar in bars])
    ax.invert_yaxis()
    ax.axvline(0.0, color="0.4", linewidth=0.8)
    if groups is not None:
        from matplotlib.patches import Patch

        legend_beside(ax, [Patch(color=color, label=str(name))
                           for name, color in zip(groups, PALETTE)], title="class")
    plain(ax, grid="x")
    whose = f" of {names[column]}" if len(score) > 1 or classes is not None else ""
    ax.set_xlabel(f"contribution to the score{whose}, which is {score[column]:.3g}")
    ax.set_ylabel("labeled sample")
    return ax


def _column(output: Any, score: Any) -> int:
    if output is None:
        return int(np.argmax(score))
    if isinstance(output, bool) or not isinstance(output, (int, np.integer)) or not 0 <= output < len(score):
        raise ValueError(f"output={output!r}; expected a number from 0 to {len(score) - 1}")
    return int(output)


def _names(classes: Any, count: int) -> Any:
    if classes is None:
        return [f"output {k}" for k in range(count)]
    if len(classes) != count:
        raise ValueError(f"classes has {len(classes)} names; expected {count}, one per output")
    return list(classes)


def _colors(labels: Any, values: Any) -> Any:
    """Return the classes, or None, and a color for each label."""
    if labels is None:
        return None, np.where(values < 0, RED, BLUE)
    labels = np.asarray(labels)
    if labels.shape != values.shape:
        raise ValueError(f"labels has shape {labels.shape}; expected ({len(values)},), one per "
                         "labeled sample, such as y[parts.labeled]")
    groups, codes = np.unique(labels, return_inverse=True)
    if len(groups) > len(PALETTE):
        raise ValueError(f"labels has {len(groups)} classes; expected at most {len(PALETTE)}, or "
                         "no labels")
    return groups, np.array(PALETTE)[codes]
