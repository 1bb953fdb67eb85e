"""Learning curves over labels and unlabeled samples."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._style import axes_of, finite_array, legend_beside, plain, pyplot, tick_texts

TEST_SHARE = 4  # every fourth sample is a test sample


def learning_curve(estimator: Any, X: Any, y: Any, labels: Any = (1, 2, 5, 10),
                   unlabeled: Any = None, repeats: int = 5, random_state: Any = 0, ax: Any = None,
                   n_jobs: int | None = None) -> Any:
    """Fit with different numbers of labels and unlabeled samples, and draw the test scores.

    A quarter of the samples, stratified by class and the same for all fits, is held out for
    testing. Each repetition shuffles the others; a fit takes the first of every class with their
    labels, and the first of the remaining ones without, so that larger fits contain the smaller
    ones. The band is one standard error over the repetitions, to either side.

    Parameters
    ----------
    estimator : estimator
        A classifier that accepts -1 for unlabeled, or a regressor that accepts NaN. It is cloned.
    X : array, sparse matrix or graph of n_samples rows
        With ``kernel="precomputed"`` or ``"graph"``, square: columns are selected like rows.
    y : array of shape (n_samples,)
        The labels of all samples.
    labels : sequence of int
        Numbers of labels: per class, or in total for a regressor.
    unlabeled : sequence of int or None, optional
        Numbers of unlabeled samples, one line each. None, alone or in the sequence, means all
        that are left with the largest number of labels.
    repeats : int
        Repetitions with different labels and unlabeled samples.
    random_state : int, RandomState or None
        The seed of the random orders.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    n_jobs : int, optional
        Number of parallel fits, by joblib; an estimator may itself use several threads.

    Returns
    -------
    ax : matplotlib Axes
    results : dict
        ``labels`` (n,) and ``unlabeled`` (m,), as numbers; ``mean`` and ``standard_error``,
        (m, n), of the accuracies or R². With one repetition, the standard error is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> y = np.repeat([0, 1], 40)
    >>> X = np.random.default_rng(0).normal(size=(80, 2)) + 6.0 * y[:, None]
    >>> ax, results = stkr.plots.learning_curve(
    ...     stkr.STKRClassifier(), X, y, labels=(1, 2, 4), unlabeled=(20, 50), repeats=2)
    >>> results["mean"].shape
    (2, 3)
    """
    from sklearn.base import is_regressor

    pyplot()  # fail before any fit if it is missing
    if ax is not None:
        axes_of(ax, None)
    regressor = is_regressor(estimator)
    X, y = _checked_data(X, y, regressor)
    labels = _counts(labels, "labels", 1)
    (repeats,) = _counts([repeats], "repeats", 1)
    test, pools = _orders(y, regressor, repeats, random_state)
    unlabeled = _checked_counts(y, regressor, labels, unlabeled, pools[0])
    found = _scores(estimator, X, y, regressor, labels, unlabeled, test, pools, n_jobs)
    error = np.full(found.shape[1:], np.nan)
    if repeats > 1:
        error = found.std(axis=0, ddof=1) / np.sqrt(repeats)
    results = {"labels": labels, "unlabeled": unlabeled, "mean": found.mean(axis=0),
               "standard_error": error}
    return _draw(axes_of(ax, (5.6, 3.6)), results, regressor), results


def _checked_data(X: Any, y: Any, regressor: bool) -> Any:
    from scipy.sparse import issparse

    X = X.tocsr() if issparse(X) else np.asarray(X)
    y = np.asarray(y)
    if X.ndim != 2 or len(y) != X.shape[0]:
        raise ValueError(f"X has shape {X.shape} and y has shape {y.shape}; expected one row of "
                         "X per entry of y")
    if regressor:
        return X, finite_array(y, "y", y.ndim)
    if y.ndim != 1:
        raise ValueError(f"y has shape {y.shape}; expected one class per sample")
    if y.dtype.kind in "OUS":
        hidden = sum(value is None or value == "" for value in y.tolist())
    else:
        hidden = np.count_nonzero((y == -1) | (y != y))
    if hidden:
        raise ValueError(f"y marks {hidden} of {len(y)} samples as unlabeled; pass the labels of "
                         "all samples: learning_curve hides them itself")
    # Codes from 0, so that -1 can mean unlabeled for every type of label.
    return X, np.unique(y, return_inverse=True)[1]


def _counts(values: Any, name: Any, least: Any) -> Any:
    values = np.atleast_1d(np.asarray(values))
    if values.ndim != 1 or not values.size or values.dtype.kind not in "iu" or min(values) < least:
        raise ValueError(f"{name} is {values.tolist()}; expected integers of at least {least}")
    return values.astype(int)


def _orders(y: Any, regressor: bool, repeats: int, random_state: Any) -> Any:
    """Return the test samples and, per repetition, the others in random order."""
    from sklearn.utils import check_random_state

    random = check_random_state(random_state)
    order = random.permutation(len(y))
    if not regressor:
        order = order[np.argsort(y[order], kind="stable")]
    test = order[::TEST_SHARE]
    pool = np.setdiff1d(order, test)
    return test, [random.permutation(pool) for _ in range(repeats)]


def _checked_counts(y: Any, regressor: bool, labels: Any, unlabeled: Any, pool: Any) -> Any:
    """Return the numbers of unlabeled samples; ValueError if there are too few samples."""
    most = labels.max()
    if regressor:
        taken, per_class = most, np.array([len(pool)])
    else:
        per_class = np.bincount(y[pool], minlength=y.max() + 1)
        taken = most * len(per_class)
    if most > min(per_class):
        what = "there are" if regressor else "the rarest class has"
        raise ValueError(f"labels goes up to {most}, but {what} only {min(per_class)} samples "
                         "besides the test quarter; use no more labels than that")
    left = len(pool) - taken
    if unlabeled is None or np.ndim(unlabeled) == 0:
        unlabeled = [unlabeled]
    unlabeled = _counts([left if m is None else m for m in unlabeled], "unlabeled", 0)
    if unlabeled.max() > left:
        raise ValueError(f"unlabeled goes up to {unlabeled.max()}, but only {left} samples are "
                         f"left besides {taken} labeled samples and the test quarter; use at most "
                         f"{left}, or fewer labels")
    return unlabeled


def _scores(estimator: Any, X: Any, y: Any, regressor: bool, labels: Any, unlabeled: Any,
            test: Any, pools: Any, n_jobs: int | None) -> Any:
    """Return all scores: repetition x number of unlabeled samples x number of labels."""
    from joblib import Parallel, delayed

    jobs = []
    for pool in pools:
        for m in unlabeled:
            for n in labels:
                labeled = pool[:n] if regressor else np.concatenate(
                    [pool[y[pool] == c][:n] for c in range(y.max() + 1)])
                rest = pool[~np.isin(pool, labeled)][:m]
                jobs.append(delayed(_one_fit)(estimator, X, y, regressor, labeled, rest, test))
    done = Parallel(n_jobs=n_jobs)(jobs)
    _warn_once([caught for _, caught in done])
    values = [value for value, _ in done]
    return np.reshape(values, (len(pools), len(unlabeled), len(labels)))


def _warn_once(caught: list[list[tuple[type[Warning], str]]]) -> None:
    """Issue each warning of the fits once, with the number of fits that had it."""
    fits: dict[tuple[type[Warning], str], int] = {}
    for own in caught:
        for one in dict.fromkeys(own):
            fits[one] = fits.get(one, 0) + 1
    for (category, text), count in fits.items():
        warnings.warn(f"{text} ({count} of {len(caught)} fits)", category, stacklevel=4)


def _one_fit(estimator: Any, X: Any, y: Any, regressor: bool, labeled: Any, rest: Any,
             test: Any) -> tuple[float, list[tuple[type[Warning], str]]]:
    """Return the score of a fit and its warnings."""
    from sklearn.base import clone
    from sklearn.metrics import accuracy_score, r2_score

    train = np.concatenate([labeled, rest])
    partial = y[train]
    partial[len(labeled):] = np.nan if regressor else -1
    square = getattr(estimator, "kernel", None) in ("precomputed", "graph")

    def cut(rows: Any) -> Any:
        return X[rows][:, train] if square else X[rows]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted = clone(estimator).fit(cut(train), partial).predict(cut(test))
    score = r2_score if regressor else accuracy_score
    return float(score(y[test], predicted)), [(w.category, str(w.message)) for w in caught]


def _draw(ax: Any, results: Any, regressor: bool) -> Any:
    from matplotlib.ticker import NullFormatter, NullLocator

    labels, order = np.unique(results["labels"], return_index=True)
    # Darker with more unlabeled samples; the brightest colors are too faint.
    shades = pyplot().get_cmap("viridis")(np.linspace(0.0, 0.75, len(results["unlabeled"])))[::-1]
    rank = np.argsort(np.argsort(results["unlabeled"], kind="stable"), kind="stable")
    for i, m in enumerate(results["unlabeled"]):
        mean, error = results["mean"][i, order], results["standard_error"][i, order]
        color = shades[rank[i]]
        ax.plot(labels, mean, "-o", color=color, markersize=4, linewidth=1.6, label=f"{m:,}")
        if np.isfinite(error).all():
            ax.fill_between(labels, mean - error, mean + error, color=color, alpha=0.18,
                            linewidth=0)
    if labels[-1] >= 5 * labels[0]:
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xticks(labels, labels=tick_texts(labels))
    if not regressor:
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}")
    plain(ax, grid="y")
    ax.set_xlabel("labeled samples" if regressor else "labeled samples per class")
    ax.set_ylabel("R² on new samples" if regressor else "accuracy on new samples, %")
    legend_beside(ax, title="unlabeled\nsamples")
    return ax
