"""Scores on partly labeled y, and scores of held-out predictions for a selection."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score, get_scorer, r2_score

from . import _core
from ._labels import known_classes, known_targets
from ._prediction import relative_difference
from ._types import Array, Flags, Floats, Indices, Labels, Samples


class PartlyLabeledClassifier(ClassifierMixin):
    """A classifier whose ``score`` leaves out the samples without a class."""

    classes_: Array

    def score(self, X: Samples, y: Labels, sample_weight: Any = None) -> float:
        """Return the accuracy on the samples that have a class.

        Parameters
        ----------
        X : array or sparse matrix
            As in ``predict``.
        y : array of shape (n_samples,)
            Classes; NaN, None, an empty string, and -1 if it is not a class, mean unlabeled.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        float
        """
        predict: Any = getattr(self, "predict")
        predicted = predict(X)
        truth, known = known_classes(y, len(predicted), self.classes_)
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(truth, predicted[known], sample_weight=weights))


class PartlyLabeledRegressor(RegressorMixin):
    """A regressor whose ``score`` leaves out the samples without a target."""

    def score(self, X: Samples, y: Labels, sample_weight: Any = None) -> float:
        """Return R² on the samples that have a target.

        Parameters
        ----------
        X : array or sparse matrix
            As in ``predict``.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets; NaN means unlabeled.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        float
        """
        predict: Any = getattr(self, "predict")
        predicted = predict(X)
        truth, known = known_targets(y, len(predicted))
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(r2_score(truth, predicted[known], sample_weight=weights))


# scikit-learn's name of a score, or our own: the library's, and the sign that makes it the same.
_LIBRARY = {
    "classes": {
        "accuracy": ("accuracy", 1.0),
        "balanced_accuracy": ("balanced-accuracy", 1.0),
        "f1_macro": ("macro-f1", 1.0),
        "macro_f1": ("macro-f1", 1.0),
    },
    "numbers": {
        "r2": ("r2", 1.0),
        "mse": ("mse", 1.0),
        "neg_mean_squared_error": ("mse", -1.0),
    },
}


@dataclass(frozen=True)
class Scoring:
    """How a selection scores: by the library, or by a scorer of scikit-learn's kind."""

    name: str  # the library's, or that of the scorer
    sign: float = 1.0
    scorer: Callable[[Any, Any, Any], float] | None = None


def scoring_of(scoring: Any, kind: str) -> Scoring:
    """Return how to score; ``kind``: ``classes`` or ``numbers``."""
    if scoring is None:
        return Scoring("")
    if isinstance(scoring, str):
        if scoring in _LIBRARY[kind]:
            return Scoring(*_LIBRARY[kind][scoring])
        other = _LIBRARY["numbers" if kind == "classes" else "classes"]
        try:
            if scoring not in other:
                return Scoring(scoring, scorer=get_scorer(scoring))
        except (KeyError, ValueError):
            pass
    elif callable(scoring):
        module = getattr(scoring, "__module__", "") or ""
        if inspect.isfunction(scoring) and module.startswith("sklearn.metrics"):
            raise ValueError(
                f"scoring={scoring.__name__} is a metric of two arrays; expected a scorer: use "
                f"sklearn.metrics.make_scorer({scoring.__name__})"
            )
        return Scoring(getattr(scoring, "__name__", str(scoring)) or "scorer", scorer=scoring)
    raise ValueError(
        f"scoring={scoring!r}; expected one of {', '.join(_LIBRARY[kind])}, another name of "
        "sklearn.metrics.get_scorer_names(), or a function of an estimator, X and y"
    )


class HeldOut(BaseEstimator):
    """Held-out predictions in the form of a fitted estimator, which scorers call.

    It predicts the held-out samples, whatever X says about them.
    """

    def __init__(self, scores: Floats) -> None:
        self.scores = scores

    def _check(self, X: Samples) -> None:
        if X.shape[0] != len(self.scores):
            raise ValueError(
                f"the scorer asks for predictions of {X.shape[0]} samples; expected all "
                f"{len(self.scores)} held-out samples at once"
            )


class HeldOutClasses(ClassifierMixin, HeldOut):
    """Held-out predictions of classes."""

    def __init__(
        self, scores: Floats, evidence: Flags, index: Indices, classes: Array, prior: Floats
    ) -> None:
        super().__init__(scores)
        self.evidence, self.index, self.prior = evidence, index, prior
        self.classes_ = classes

    def predict(self, X: Samples) -> Array:
        self._check(X)
        predicted: Array = self.classes_[self.index]
        return predicted

    def predict_proba(self, X: Samples) -> Floats:
        self._check(X)
        return _core.class_probabilities(self.scores, self.evidence, self.prior.tolist())

    def decision_function(self, X: Samples) -> Floats:
        self._check(X)
        return relative_difference(self.scores) if len(self.classes_) == 2 else self.scores


class HeldOutTargets(RegressorMixin, HeldOut):
    """Held-out predictions of numbers."""

    def predict(self, X: Samples) -> Floats:
        self._check(X)
        return self.scores if self.scores.shape[1] > 1 else self.scores[:, 0]


OwnScore = Callable[[Floats, Flags, Indices, Indices], float]


def own_score(
    scorer: Callable[[Any, Any, Any], float],
    X: Samples,
    y: Array,
    classes: Array | None = None,
    prior: Any = None,
) -> OwnScore:
    """Return a scorer as the library's function of held-out predictions.

    ``y`` has class codes, or targets in two dimensions; ``prior`` as the estimators' parameter.
    """
    if classes is not None:
        if prior is None:
            shares = np.bincount(y[y >= 0], minlength=len(classes)).astype(float)
        elif isinstance(prior, str):
            shares = np.ones(len(classes))
        else:
            shares = np.asarray(prior, dtype=float)
        shares = shares / shares.sum()

    def score(scores: Floats, evidence: Flags, index: Indices, samples: Indices) -> float:
        rows = X[samples] if hasattr(X, "dtype") and hasattr(X, "__getitem__") else samples
        if classes is None:
            truth = y[samples] if y.shape[1] > 1 else y[samples, 0]
            return float(scorer(HeldOutTargets(scores), rows, truth))
        held_out = HeldOutClasses(scores, evidence, index, classes, shares)
        return float(scorer(held_out, rows, classes[y[samples]]))

    return score
