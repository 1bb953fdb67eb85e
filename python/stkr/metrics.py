"""Scorers and splitters for partly labeled y, for the tools of scikit-learn.

``cross_val_score`` and ``GridSearchCV`` take unlabeled samples for samples of a class -1, unless
the scorer or the splitter leaves them out of the test samples.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, StratifiedKFold

from ._checks import check_count, check_flag
from ._labels import encode_targets, missing_classes, plain_array
from ._types import Array, Flags, Indices, Labels, Samples

__all__ = ["LabeledKFold", "labeled_scorer"]


def _known(y: Labels) -> tuple[Array, Flags]:
    """Return y as an array, and which samples are labeled."""
    values = plain_array("y", y)
    if values.ndim == 2:
        values = encode_targets(values, None, len(values))
        return values, ~np.isnan(values[:, 0])
    known = ~missing_classes(values)
    if not known.any():
        raise ValueError("y: no sample is labeled; label at least a few")
    return values, known


def _rows(X: Samples, indices: Indices) -> Samples:
    if hasattr(X, "iloc"):
        return X.iloc[indices]
    return [X[i] for i in indices] if isinstance(X, (list, tuple)) else X[indices]


class _LabeledScorer:
    """A scorer that leaves out unlabeled samples; a class, so that it can be pickled."""

    def __init__(self, scorer: Callable[[Any, Any, Any], float]) -> None:
        self.scorer = scorer

    def __call__(self, estimator: Any, X: Samples, y: Labels, **options: Any) -> float:
        values, known = _known(y)
        seen = values[known]
        if seen.dtype.kind == "O":
            seen = np.asarray(seen.tolist())
        weights = options.get("sample_weight")
        if weights is not None:
            options["sample_weight"] = np.asarray(weights)[known]
        return float(self.scorer(estimator, _rows(X, np.flatnonzero(known)), seen, **options))

    def __repr__(self) -> str:
        return f"labeled_scorer({self.scorer!r})"


def labeled_scorer(scoring: str | Callable[[Any, Any, Any], float]) -> _LabeledScorer:
    """Return a scorer that compares only labeled samples.

    Parameters
    ----------
    scoring : str or callable
        A name of ``sklearn.metrics.get_scorer_names()``, or a function of an estimator, X and y.

    Returns
    -------
    callable
        A scorer for ``cross_val_score``, ``GridSearchCV`` and so on. In y, -1, NaN, None, pd.NA
        and an empty string mean unlabeled.

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> X = np.repeat([[0.0], [5.0]], 20, axis=0) + np.tile(np.arange(20) / 20, 2)[:, None]
    >>> y = np.where(np.arange(40) % 2 == 0, np.repeat([0, 1], 20), -1)
    >>> folds = KFold(4, shuffle=True, random_state=0)
    >>> cross_val_score(stkr.STKRClassifier("knn", n_neighbors=5), X, y, cv=folds,
    ...                 scoring=stkr.metrics.labeled_scorer("f1_macro"))
    array([1., 1., 1., 1.])
    """
    return _LabeledScorer(get_scorer(scoring))


class LabeledKFold:
    """Folds of the labeled samples; unlabeled samples are in every training set.

    Parameters
    ----------
    n_splits : int, default=5
    stratify : bool, default=True
        Give each fold about the same share of each class. Ignored if y has real numbers.
    shuffle : bool, default=True
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> from sklearn.model_selection import GridSearchCV
    >>> X = np.repeat([[0.0], [5.0]], 20, axis=0) + np.tile(np.arange(20) / 20, 2)[:, None]
    >>> y = np.where(np.arange(40) % 4 == 0, np.repeat([0, 1], 20), -1)
    >>> folds = stkr.metrics.LabeledKFold(5, random_state=0)
    >>> [len(test) for _, test in folds.split(X, y)]
    [2, 2, 2, 2, 2]
    >>> search = GridSearchCV(stkr.STKRClassifier("knn"), {"n_neighbors": [3, 5]}, cv=folds)
    >>> float(search.fit(X, y).best_score_)
    1.0
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        stratify: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        if check_count("n_splits", n_splits) < 2:
            raise ValueError(f"n_splits={n_splits}; expected 2 or more")
        self.n_splits = n_splits
        self.stratify = check_flag("stratify", stratify)
        self.shuffle = check_flag("shuffle", shuffle)
        self.random_state = random_state

    def get_n_splits(self, X: Samples = None, y: Labels = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(
        self, X: Samples, y: Labels, groups: Any = None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield the training and the test samples of each fold.

        Parameters
        ----------
        X : array or sparse matrix
            Ignored.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            -1, NaN, None, pd.NA and an empty string mean unlabeled.
        groups
            Ignored.

        Yields
        ------
        train : ndarray of int
            All samples, labeled or not, but those of ``test``.
        test : ndarray of int
            Labeled samples.
        """
        if y is None:
            raise ValueError("y is None; expected the labels, which say what samples are labeled")
        values, known = _known(y)
        labeled = np.flatnonzero(known)
        if len(labeled) < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} for {len(labeled)} labeled samples; expected at most "
                "that many"
            )
        seen = values[known]
        if seen.dtype.kind == "O":
            seen = np.asarray(seen.tolist())
        numbers = seen.ndim > 1 or (seen.dtype.kind == "f" and bool((seen != seen.round()).any()))
        random_state = self.random_state if self.shuffle else None
        kind = StratifiedKFold if self.stratify and not numbers else KFold
        folds = kind(self.n_splits, shuffle=self.shuffle, random_state=random_state)
        for _, test in folds.split(np.zeros(len(labeled)), seen):
            held_out = labeled[test]
            yield np.setdiff1d(np.arange(len(values)), held_out), held_out
