"""Models from files, in the format of the ``stkr`` command."""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from . import _core
from ._certainty import PredictionSets
from ._labels import classes_from_names
from ._prediction import ModelState, Predictor, TargetPredictor
from ._scoring import PartlyLabeledClassifier, PartlyLabeledRegressor
from ._specification import threads_of
from ._samples import check_samples, new_samples
from .exceptions import DataError

__all__ = ["ClassifierModel", "RegressorModel", "load"]


class _LoadedModel(BaseEstimator, Predictor):
    """A saved model, which cannot be fitted. ``info_`` describes its fit."""

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, n_jobs: int | None = None
    ) -> None:
        self.path = path
        self.n_jobs = n_jobs

    def _take(self, model: Any) -> Any:
        self.model_ = ModelState(model)
        self.info_ = model.info
        self._dtype = np.dtype(np.float64)
        kind = self.info_["samples"]
        self._kernel_in = {"graph": "graph", "kernel": "precomputed"}.get(kind, "rbf")
        if model.features is not None:
            self.n_features_in_ = model.features
        elif kind == "graph":
            self.n_features_in_ = len(model)
        self.n_iter_ = max(1, self.info_["iterations"])
        return self

    def _model(self) -> Any:
        # check_is_fitted would refuse a class without a fit method.
        if not hasattr(self, "model_"):
            raise NotFittedError(f"{type(self).__name__} has no model: read one with stkr.load")
        return self.model_.core

    def _new(self, X: Any) -> Any:
        X = self._encoded(X)
        kinds = self.info_["samples"].split("+")
        pair = isinstance(X, tuple) and len(X) == 2
        if "nodes" in kinds or (set(kinds) == {"graph", "points"} and pair):
            return self._new_nodes(X, kinds)
        if len(kinds) == 1:
            return super()._new(X)
        return _core.NewSamples.parts(self._parts(X, kinds))

    def _encoded(self, X: Any) -> Any:
        """Apply what the command did to the table that the model was fitted on."""
        encoding = self.info_["encoding"]
        if encoding is None:
            return X
        names = getattr(X, "columns", ())
        if encoding["columns"] and hasattr(X, "to_csv") and all(isinstance(n, str) for n in names):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "X.csv")
                X.to_csv(path, index=False)
                try:
                    X, found = self._model().read_table(path)
                except DataError as error:  # the user has no file
                    raise DataError(str(error).replace(path, "X")) from None
            for warning in found:
                warnings.warn(warning.replace(path, "X"), UserWarning, stacklevel=4)
            return X
        if not encoding["numbers_only"]:
            wanted = [column["name"] for column in encoding["columns"]]
            raise TypeError(
                "the model was fitted on a table with text or truth values: pass a DataFrame with "
                f"the columns {', '.join(wanted)}"
            )
        if not encoding["standardized"]:
            return X
        return self._model().standardize(check_samples(X, "rbf", self, reset=False))

    def _parts(self, X: Any, kinds: Any) -> Any:
        """Convert the inputs of a model with several kernels, such as edges and features."""
        wanted = sorted(set(kinds))
        given = X if isinstance(X, tuple) else (X,)
        if len(given) != len(wanted):
            raise ValueError(
                f"the model is a sum of kernels on {' and '.join(wanted)}; expected a tuple of "
                f"{len(wanted)}: {', '.join(wanted)}"
            )
        forms = {"graph": "graph", "points": "rbf", "kernel": "precomputed"}
        checked = {
            kind: new_samples(check_samples(part, forms[kind]), forms[kind])
            for kind, part in zip(wanted, given)
        }
        return [checked[kind] for kind in kinds]


class ClassifierModel(_LoadedModel, PartlyLabeledClassifier, PredictionSets):
    """A classifier from a file: ``predict``, ``predict_set``, ``transduction_`` and so on.

    Attributes
    ----------
    classes_ : ndarray
        Integers if all class names in the file are integers.
    info_ : dict
        Kernel, transform, solver and data of the fit.
    """


class RegressorModel(_LoadedModel, PartlyLabeledRegressor, TargetPredictor):
    """A regressor from a file.

    Attributes
    ----------
    target_names_ : list of str
    info_ : dict
        Kernel, transform, solver and data of the fit.
    """


def load(
    path: str | os.PathLike[str], *, n_jobs: int | None = None
) -> ClassifierModel | RegressorModel:
    """Read a model that an estimator's ``save`` or the ``stkr`` command wrote.

    Parameters
    ----------
    path : str or path-like
    n_jobs : int, default=None
        Number of threads for predictions; None: all cores.

    Returns
    -------
    ClassifierModel or RegressorModel

    Raises
    ------
    FileNotFoundError
        The file does not exist.
    stkr.DataError
        The file is not an intact model of this version.

    Examples
    --------
    >>> import os, tempfile
    >>> import stkr
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> clf = stkr.STKRClassifier(length_scale=0.5).fit(X, [0, -1, 1, -1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(os.path.join(folder, "model.npz"))
    ...     again = stkr.load(os.path.join(folder, "model.npz"))
    >>> again.predict([[0.2], [4.8]])
    array([0, 1])
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path!r}: no such file; check the path")
    model = _core.Model.load(path, threads_of(n_jobs))
    if model.prior is None:
        regressor = RegressorModel(path, n_jobs=n_jobs)
        regressor._take(model)
        regressor.target_names_ = model.names
        regressor._one_dimensional = len(model.names) == 1
        return regressor
    classifier = ClassifierModel(path, n_jobs=n_jobs)
    classifier._take(model)
    classifier.classes_ = classes_from_names(model.names, model.boolean)
    return classifier
