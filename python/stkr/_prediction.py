"""From a model's scores to answers: what estimators and loaded models share."""

from __future__ import annotations

import os
import tempfile
import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._recipe import OTHER_KERNELS
from ._samples import check_columns, check_samples, new_samples


def simplex_projection(values: np.ndarray) -> np.ndarray:
    """The nearest probabilities to each row, in the Euclidean norm (Held, Wolfe & Crowder 1974)."""
    ordered = -np.sort(-values, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1.0) / np.arange(1, values.shape[1] + 1)
    count = np.sum(ordered > excess, axis=1)
    shift = excess[np.arange(len(values)), count - 1]
    return np.maximum(values - shift[:, np.newaxis], 0.0)


def relative_difference(scores: np.ndarray) -> np.ndarray:
    """(f_1 - f_0)/(|f_0| + |f_1|), 0 where both are: from -1 to 1."""
    size = np.abs(scores).sum(axis=1)
    return (scores[:, 1] - scores[:, 0]) / np.where(size > 0, size, 1.0)


def probabilities(scores, evidence, prior) -> np.ndarray:
    """Each class's share of the positive scores, which estimate class indicators up to a factor.

    A row without a positive score goes to the distribution nearest to it; one without evidence is
    the prior.
    """
    if scores.shape[1] == 2:
        first = 0.5 * (1.0 + relative_difference(scores))
        result = np.stack([1.0 - first, first], axis=1)
    else:
        result = np.maximum(scores, 0.0)
        total = result.sum(axis=1)
        none = total <= 0
        result[~none] /= total[~none, np.newaxis]
        if none.any():
            size = np.abs(scores[none]).max(axis=1, keepdims=True)
            result[none] = simplex_projection(scores[none] / np.where(size > 0, size, 1.0))
    result[~evidence] = prior
    return result


class ModelState:
    """The compiled model inside an estimator; it travels through pickles as its file."""

    def __init__(self, model: "_core.Model"):
        self.core = model

    def __getstate__(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            self.core.save(path)
            with open(path, "rb") as file:
                return {"file": file.read()}

    def __setstate__(self, state):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            with open(path, "wb") as file:
                file.write(state["file"])
            self.core = _core.Model.load(path, 0)


def warn_of_ties(tied) -> None:
    """For whoever called what called this."""
    if tied.any():
        warnings.warn(
            f"{tied.sum()} of {len(tied)} answers are ties: no label reaches these samples, several "
            "classes have the largest prior, and no distance tells which is nearer; the first of "
            "them is answered. A prior decides",
            UserWarning,
            stacklevel=3,
        )


class Predictor:
    """What follows from ``model_``, ``_kernel_in`` (what new samples come as) and ``_dtype``.

    Samples of weight 0 are not in the model: ``_counted`` is a mask of those that are, ``_left_out``
    has the answers for the others.
    """

    _counted = None

    def _model(self) -> "_core.Model":
        check_is_fitted(self, "model_")
        return self.model_.core

    def _new(self, X) -> "_core.NewSamples":
        model, counted = self._model(), self._counted
        check_columns(X, self._kernel_in, len(model) if counted is None else len(counted))
        X = check_samples(X, self._kernel_in, self, reset=False)
        if counted is not None and self._kernel_in in OTHER_KERNELS:
            X = X[:, counted]
        return new_samples(X, self._kernel_in, getattr(self, "X_fit_", None))

    def _fitted(self) -> tuple:
        """Answers for the samples of the fit, those of weight 0 included."""
        answers = self._model().predict_fitted()
        if self._counted is None:
            return answers
        return tuple(map(self._with_left_out, answers, self._left_out))

    def _with_left_out(self, inside, outside) -> np.ndarray:
        if not len(inside):  # numbers have no classes
            return inside
        result = np.empty((len(self._counted), *inside.shape[1:]), inside.dtype)
        result[self._counted], result[~self._counted] = inside, outside
        return result

    def _warn_of_answers(self, evidence, index) -> None:
        """Warn of answers that tell of a model that knows nothing."""
        for text in self._model().answer_warnings(evidence, index):
            warnings.warn(text, UserWarning, stacklevel=3)

    def _cast(self, values):
        return values.astype(self._dtype, copy=False)

    @property
    def evidence_(self) -> np.ndarray:
        """Whether any label reaches each sample of the fit; where none does, the prior answers."""
        return self._fitted()[1]

    def has_evidence(self, X) -> np.ndarray:
        """Whether anything known reaches each new sample.

        Parameters
        ----------
        X : array or sparse matrix
            As for ``predict``.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            False where no label reaches it: the answer is then the class with the largest prior,
            or the constant of a regression.
        """
        return self._model().predict_new(self._new(X))[1]

    @property
    def dual_coef_(self) -> np.ndarray:
        """c of f(x) = b + Σ_i K(x, x_i) c_i: a row for each sample, a column for each output."""
        values = self._model().coefficients
        if self._counted is not None:
            values = self._with_left_out(values, 0.0)
        return self._cast(values)

    def save(self, path) -> None:
        """Write the model to a file that the ``stkr`` command and :func:`stkr.load` read.

        Parameters
        ----------
        path : str or path-like
            Replaced whole or not at all where it exists.
        """
        self._model().save(os.fspath(path))


class ClassPredictor(Predictor):
    """Answers for classes. ``classes_`` gives them their names."""

    def predict(self, X) -> np.ndarray:
        """Classes of new samples.

        Parameters
        ----------
        X : array or sparse matrix
            Points; for ``kernel="graph"`` the edges of new nodes (rows) to the known ones
            (columns); for ``kernel="precomputed"`` rows of K.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class of the largest score; where no label reaches a sample, the class with the
            largest prior, and of several such classes that of the nearest labeled sample. Where
            there is no distance either, the answer is a tie, with a warning.
        """
        _, evidence, index, tied = self._model().predict_new(self._new(X))
        warn_of_ties(tied)
        self._warn_of_answers(evidence, index)
        return self.classes_[index]

    def decision_function(self, X) -> np.ndarray:
        """Scores of new samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            f as fitted; for two classes (f_1 - f_0)/(|f_0| + |f_1|), from -1 to 1.
        """
        scores, *_ = self._model().predict_new(self._new(X))
        return self._cast(relative_difference(scores) if len(self.classes_) == 2 else scores)

    def predict_proba(self, X) -> np.ndarray:
        """Shares of the classes for new samples.

        Of the positive scores, as in label propagation; where nothing known reaches a sample, the
        prior. They are not calibrated: use ``sklearn.calibration`` where that matters.
        """
        scores, evidence, *_ = self._model().predict_new(self._new(X))
        return self._shares(scores, evidence)

    def _shares(self, scores, evidence):
        return self._cast(probabilities(scores, evidence, self._model().prior))

    @property
    def transduction_(self) -> np.ndarray:
        """The class given to every sample of the fit."""
        index = self._fitted()[2]
        return self.classes_[index]

    @property
    def tied_(self) -> np.ndarray:
        """Which classes in ``transduction_`` are as good as others.

        True where no label reaches a sample, several classes have the largest prior, and there is
        no distance to tell which labeled sample is nearest.
        """
        return self._fitted()[3]

    @property
    def label_distributions_(self) -> np.ndarray:
        """``predict_proba`` of the samples of the fit."""
        scores, evidence, *_ = self._fitted()
        return self._shares(scores, evidence)


class TargetPredictor(Predictor):
    """Answers in numbers."""

    _one_dimensional = True

    def predict(self, X) -> np.ndarray:
        """Numbers for new samples.

        Parameters
        ----------
        X : array or sparse matrix
            As of :meth:`stkr.STKRClassifier.predict`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Where no label reaches a sample, the constant of the regression.
        """
        scores, evidence, index, _ = self._model().predict_new(self._new(X))
        self._warn_of_answers(evidence, index)
        return self._shaped(scores)

    @property
    def transduction_(self) -> np.ndarray:
        """The number given to every sample of the fit."""
        return self._shaped(self._fitted()[0])

    def _shaped(self, scores):
        return self._cast(scores[:, 0] if self._one_dimensional else scores)
