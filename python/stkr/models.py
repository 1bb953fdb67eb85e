"""Models from files, in the format of the ``stkr`` command."""

from __future__ import annotations

import os

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError

from . import _core
from ._labels import classes_from_names
from ._prediction import ClassPredictor, ModelState, TargetPredictor
from ._specification import threads_of
from ._samples import check_samples, new_samples

__all__ = ["ClassifierModel", "RegressorModel", "load"]


class _LoadedModel(BaseEstimator):
    """A saved model, which cannot be fitted. ``info_`` describes its fit."""

    def __init__(self, path=None, *, n_jobs=None):
        self.path = path
        self.n_jobs = n_jobs

    def _take(self, model):
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

    def _model(self):
        # check_is_fitted would refuse a class without a fit method.
        if not hasattr(self, "model_"):
            raise NotFittedError(f"{type(self).__name__} has no model: read one with stkr.load")
        return self.model_.core

    def _new(self, X):
        kinds = self.info_["samples"].split("+")
        pair = isinstance(X, tuple) and len(X) == 2
        if "nodes" in kinds or (set(kinds) == {"graph", "points"} and pair):
            return self._new_nodes(X, kinds)
        if len(kinds) == 1:
            return super()._new(X)
        return _core.NewSamples.parts(self._parts(X, kinds))

    def _parts(self, X, kinds):
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


class ClassifierModel(_LoadedModel, ClassPredictor, ClassifierMixin):
    """A classifier from a file: ``predict``, ``predict_proba``, ``transduction_`` and so on.

    Attributes
    ----------
    classes_ : ndarray
        Integers if all class names in the file are integers.
    info_ : dict
        Kernel, transform, solver and data of the fit.
    """


class RegressorModel(_LoadedModel, TargetPredictor, RegressorMixin):
    """A regressor from a file.

    Attributes
    ----------
    target_names_ : list of str
    info_ : dict
        Kernel, transform, solver and data of the fit.
    """


def load(path, *, n_jobs=None):
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
        loaded = RegressorModel(path, n_jobs=n_jobs)._take(model)
        loaded.target_names_ = model.names
        loaded._one_dimensional = len(model.names) == 1
        return loaded
    loaded = ClassifierModel(path, n_jobs=n_jobs)._take(model)
    loaded.classes_ = classes_from_names(model.names, model.boolean)
    return loaded
