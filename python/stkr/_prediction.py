"""Predictions from a model's scores, for estimators and loaded models."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._graphs import take_new_samples
from ._specification import OTHER_KERNELS
from ._samples import check_columns, check_features, check_samples, new_nodes, new_samples
from ._types import Array, Flags, Floats, Indices, Samples

Answers = tuple[Floats, Flags, Indices, Flags]  # scores, evidence, class index, tied


def relative_difference(scores: Floats) -> Floats:
    """Return (f_1 - f_0)/(|f_0| + |f_1|), from -1 to 1; 0 if both are 0."""
    size = np.abs(scores).sum(axis=1)
    difference: Floats = (scores[:, 1] - scores[:, 0]) / np.where(size > 0, size, 1.0)
    return difference


class ModelState:
    """The compiled model of an estimator; pickles contain its model file.

    ``system`` is that of the fit, if it was kept; copies and pickles have none.
    """

    def __init__(self, model: "_core.Model", system: "_core.FittedSystem | None" = None):
        self.core = model
        self.system = system

    def __getstate__(self) -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            self.core.save(path)
            with open(path, "rb") as file:
                return {"file": file.read()}

    def __setstate__(self, state: dict[str, bytes]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            with open(path, "wb") as file:
                file.write(state["file"])
            self.core = _core.Model.load(path, 0)
        self.system = None


def warn_of_ties(tied: Flags) -> None:
    """Warn about ties, on behalf of the caller's caller."""
    if tied.any():
        warnings.warn(
            f"{tied.sum()} of {len(tied)} predictions are ties: no label reaches these samples, "
            "several classes have the largest prior, and no distance breaks the tie; the first of "
            "these classes is predicted. Set prior to break ties",
            UserWarning,
            stacklevel=3,
        )


class Predictor:
    """Predictions from ``model_``, ``_kernel_in`` (the form of new samples) and ``_dtype``.

    Samples of weight 0 are not in the model: ``_counted`` is the mask of those that are, and
    ``_left_out`` has the predictions for the others.
    """

    model_: ModelState
    _kernel_in: Any
    _dtype: np.dtype[Any]
    _counted: Flags | None = None
    _left_out: Answers
    _without_labels = False  # fitted without y: there is nothing to predict

    def _model(self) -> "_core.Model":
        check_is_fitted(self, "model_")
        return self.model_.core

    def _check_has_labels(self) -> None:
        if self._without_labels:
            raise NotFittedError(
                f"This {type(self).__name__} was fitted without y, which predictions need; it can "
                "only transform"
            )

    def _answers(self, X: Samples) -> Answers:
        model = self._model()
        self._check_has_labels()
        return model.predict_new(self._new(X))

    def _new(self, X: Samples) -> "_core.NewSamples":
        model, counted = self._model(), self._counted
        kinds = model.info["samples"].split("+")
        if self._kernel_in == "graph" and kinds != ["graph"]:
            return self._new_nodes(X, kinds)
        X = take_new_samples(X, self._kernel_in, getattr(self, "sample_names_in_", None))
        check_columns(X, self._kernel_in, len(model) if counted is None else len(counted))
        X = check_samples(X, self._kernel_in, self, reset=False)
        if counted is not None and self._kernel_in in OTHER_KERNELS:
            X = X[:, counted]
        return new_samples(X, self._kernel_in, getattr(self, "X_fit_", None), len(kinds))

    def _new_nodes(self, X: Samples, kinds: list[str]) -> "_core.NewSamples":
        """Convert new nodes of a graph with node features: a pair of edges and features."""
        if not isinstance(X, tuple) or len(X) != 2:
            raise ValueError(
                "the model uses node features; expected a tuple (edges, features): the edges "
                "between new nodes (rows) and known nodes (columns) as a sparse matrix, and one "
                "row of features per new node"
            )
        edges, features = X
        model, counted = self._model(), self._counted
        check_columns(edges, "graph", len(model) if counted is None else len(counted))
        edges = check_samples(edges, "graph")
        features = check_features(features, edges.shape[0], model.features)
        if counted is not None:
            edges = edges[:, counted]
        return new_nodes(edges, features, kinds)

    def _fitted(self) -> Answers:
        """Return the predictions for the fitted samples, including those of weight 0."""
        answers = self._model().predict_fitted()
        self._check_has_labels()
        if self._counted is None:
            return answers
        scores, evidence, index, tied = map(self._with_left_out, answers, self._left_out)
        return scores, evidence, index, tied

    def _with_left_out(self, inside: Array, outside: Any) -> Array:
        if not len(inside):  # regression has no class indices
            return inside
        assert self._counted is not None
        result: Array = np.empty((len(self._counted), *inside.shape[1:]), inside.dtype)
        result[self._counted], result[~self._counted] = inside, outside
        return result

    def _warn_of_answers(self, evidence: Flags, index: Indices) -> None:
        """Warn about predictions that suggest an uninformative model."""
        for text in self._model().answer_warnings(evidence, index):
            warnings.warn(text, UserWarning, stacklevel=3)

    def _cast(self, values: Array) -> Array:
        cast: Array = values.astype(self._dtype, copy=False)
        return cast

    @property
    def evidence_(self) -> Flags:
        """Whether any label reaches each fitted sample; the others get the prior."""
        return self._fitted()[1]

    def has_evidence(self, X: Samples) -> Flags:
        """Return whether any label reaches each new sample.

        Parameters
        ----------
        X : array or sparse matrix
            As in ``predict``.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            False if no label reaches the sample: the prediction is then the class with the
            largest prior, or the intercept of a regression.
        """
        return self._answers(X)[1]

    @property
    def dual_coef_(self) -> Array:
        """c in f(x) = b + Σ_i K(x, x_i) c_i: one row per sample, one column per output."""
        values: Array = self._model().coefficients
        self._check_has_labels()
        if self._counted is not None:
            values = self._with_left_out(values, 0.0)
        return self._cast(values)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that the ``stkr`` command and :func:`stkr.load` can read.

        Parameters
        ----------
        path : str or path-like
            An existing file is replaced completely or not at all.
        """
        self._model().save(os.fspath(path))


class ClassPredictor(Predictor):
    """Predictions of the classes in ``classes_``."""

    classes_: Array

    def predict(self, X: Samples) -> Array:
        """Predict the classes of new samples.

        Parameters
        ----------
        X : array or sparse matrix
            Points; for ``kernel="graph"`` the edges of new nodes (rows) to the known ones
            (columns); for ``kernel="precomputed"`` rows of K.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class with the largest score. If no label reaches a sample, the class with the
            largest prior; ties are broken by the nearest labeled sample. If the kernel has no
            distance either, the prediction is a tie, with a warning.
        """
        _, evidence, index, tied = self._answers(X)
        warn_of_ties(tied)
        self._warn_of_answers(evidence, index)
        predicted: Array = self.classes_[index]
        return predicted

    def decision_function(self, X: Samples) -> Array:
        """Return the scores of new samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            f; for two classes p_1 - p_0, where p is ``predict_proba``, from -1 to 1. If
            probabilities are not calibrated, that is (f_1 - f_0)/(|f_0| + |f_1|). 0 if no label
            reaches the sample.
        """
        scores, evidence, *_ = self._answers(X)
        if len(self.classes_) != 2:
            return self._cast(scores)
        if self._model().largest_coverage is None:
            return self._cast(relative_difference(scores))
        p = self._model().probabilities(scores, evidence)
        return self._cast(np.where(evidence, p[:, 1] - p[:, 0], 0.0))

    def predict_proba(self, X: Samples) -> Array:
        """Return class probabilities of new samples.

        Calibrated on the labels left out, if the fit did so: always if it forms the system of
        its labels, as it usually does, or with ``leave_one_out=True``. Otherwise each class's
        share of the positive scores, as in label propagation. The prior if no label reaches the
        sample.
        """
        scores, evidence, *_ = self._answers(X)
        return self._shares(scores, evidence)

    def predict_log_proba(self, X: Samples) -> Array:
        """Return the logarithms of ``predict_proba``, -inf for 0."""
        with np.errstate(divide="ignore"):
            logarithms: Array = np.log(self.predict_proba(X))
        return logarithms

    def _shares(self, scores: Floats, evidence: Flags) -> Array:
        return self._cast(self._model().probabilities(scores, evidence))

    @property
    def transduction_(self) -> Array:
        """The predicted class of every fitted sample."""
        index = self._fitted()[2]
        predicted: Array = self.classes_[index]
        return predicted

    @property
    def tied_(self) -> Flags:
        """Which predictions in ``transduction_`` are ties.

        True if no label reaches the sample, several classes have the largest prior, and no
        distance breaks the tie.
        """
        return self._fitted()[3]

    @property
    def label_distributions_(self) -> Array:
        """``predict_proba`` of the fitted samples."""
        scores, evidence, *_ = self._fitted()
        return self._shares(scores, evidence)


class TargetPredictor(Predictor):
    """Predictions of regression targets."""

    _one_dimensional = True

    def predict(self, X: Samples) -> Array:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array or sparse matrix
            As in :meth:`stkr.STKRClassifier.predict`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            If no label reaches a sample, the intercept of the regression.
        """
        scores, evidence, index, _ = self._answers(X)
        self._warn_of_answers(evidence, index)
        return self._shaped(scores)

    @property
    def transduction_(self) -> Array:
        """The predicted targets of every fitted sample."""
        return self._shaped(self._fitted()[0])

    def _shaped(self, scores: Floats) -> Array:
        return self._cast(scores[:, 0] if self._one_dimensional else scores)
