"""Base classes of the estimators: parameters and fitting."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator

from . import _core
from ._checks import check_count, check_positive
from ._embedding import Embedding
from ._graphs import take_samples
from ._labels import class_names, encode_classes, encode_targets
from ._prediction import ClassPredictor, ModelState, TargetPredictor
from ._progress import progress_of
from ._renamed import rename
from ._report import Reports
from ._specification import (
    OTHER_KERNELS,
    kernel_options,
    new_specification,
    set_feature_kernel,
    set_kernel,
)
from ._samples import (
    check_features,
    check_samples,
    check_square,
    known_samples,
    new_nodes,
    new_samples,
    set_features,
)
from ._summary import Summary
from ._types import Array, Labels, Samples
from ._weights import check_weights, part_of
from .exceptions import warn_unless_converged

if TYPE_CHECKING:
    from typing import Self

# Chosen numbers of a fit: attribute, the library's name, and the type.
_CHOSEN = (
    ("length_scale_", "length-scale", float),
    ("n_neighbors_", "neighbors", int),
    ("eta_", "eta", float),
    ("lambda_1_", "lambda-1", float),
    ("n_components_", "d", int),
    ("ridge_", "ridge", float),
    ("beta_", "beta", float),
)


class SpectralEstimator(Embedding, Reports, BaseEstimator):
    """Base class of all estimators: fits a model and keeps it in ``model_``."""

    _chooses_kernel = False
    kernel: Any
    length_scale: Any
    n_neighbors: Any
    kernel_params: Any
    memory: Any
    random_state: Any
    n_jobs: Any
    verbose: Any
    X_fit_: Any

    def _store(self, arguments: dict[str, Any]) -> None:
        """Store the constructor's arguments unchanged, as scikit-learn requires."""
        for name in self._get_param_names():
            setattr(self, name, arguments[name])

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params
            As in the constructor.

        Returns
        -------
        self
        """
        if "transform" in params and "spectral_transform" in self._get_param_names():
            rename(params, "transform", "spectral_transform", stacklevel=4)
        changed: Self = super().set_params(**params)
        return changed

    def fit_predict(
        self, X: Samples, y: Labels, labeled: Any = None, **fit_params: Any
    ) -> Array:
        """Fit, then return the predictions for the same samples: ``transduction_``.

        Parameters
        ----------
        X, y, labeled, **fit_params
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        fit: Any = getattr(self, "fit")
        fit(X, y, labeled=labeled, **fit_params)
        predicted: Array = getattr(self, "transduction_")
        return predicted

    def _more_tags(self) -> dict[str, Any]:
        return {
            "pairwise": self.kernel in OTHER_KERNELS,
            "preserves_dtype": [np.float64, np.float32],
        }

    def __sklearn_tags__(self) -> Any:  # scikit-learn >= 1.6
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel in OTHER_KERNELS
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    # Fitting, in order of execution.

    def _specification(self) -> _core.Specification:
        spec = new_specification(self.random_state, self.n_jobs, self.memory, self.device)
        if not self._chooses_kernel and isinstance(self.kernel, str) and self.kernel == "auto":
            raise ValueError(
                f"kernel='auto' does not apply to {type(self).__name__}; expected a kernel, such "
                "as 'knn' or 'rbf'"
            )
        set_kernel(
            spec,
            self.kernel,
            length_scale=self.length_scale,
            n_neighbors=self.n_neighbors,
            kernel_params=self.kernel_params,
        )
        spec.tolerance = check_positive("tol", getattr(self, "tol"))
        spec.max_iterations = check_count("max_iter", getattr(self, "max_iter"))
        spec.embedding = self._embedding_size()
        spec.diagnostics = self._diagnostics
        spec.progress = progress_of(self.verbose)
        return spec

    def _embedding_size(self) -> int:
        wanted = getattr(self, "n_components", None)
        return 0 if wanted is None else check_count("n_components", wanted)

    def _sample_kernel(self, X: Samples = None) -> Any:
        """Return the kernel that determines the form of X."""
        automatic = isinstance(self.kernel, str) and self.kernel == "auto"
        square = scipy.sparse.issparse(X) and X.shape[0] == X.shape[1]
        return "graph" if automatic and square else self.kernel

    def _params(self) -> Any:
        """Return the kernel_params of one kernel."""
        return self.kernel_params

    def _take(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Convert X and y of other packages, and keep the names of the samples."""
        self.__dict__.pop("sample_names_in_", None)
        params = self._params() if isinstance(self._params(), dict) else {}
        taken = take_samples(X, y, self._sample_kernel(X), params.get("symmetrize", False))
        if taken.names is not None:
            self.sample_names_in_ = np.empty(len(taken.names), dtype=object)
            self.sample_names_in_[:] = taken.names
        return taken.X, taken.y

    def _check_X(self, X: Samples) -> Any:
        # Discard the previous fit: if this one fails, the estimator is not fitted.
        for name in ("model_", *(attribute for attribute, _, _ in _CHOSEN)):
            self.__dict__.pop(name, None)
        self._counted = None
        kernel = self._sample_kernel(X)
        X = check_samples(X, kernel, self)
        check_square(X, kernel)
        self._kernel_in = kernel
        self._dtype = np.dtype(np.float32) if X.dtype == np.float32 else np.dtype(np.float64)
        if callable(kernel):
            self.X_fit_ = X
        if X.shape[0] < 2:
            raise ValueError(f"X has {X.shape[0]} sample (n_samples=1); expected at least two")
        return X

    def _check_features(self, features: Any, X: Any, spec: _core.Specification) -> Any:
        """Return node features of a graph, or None; put their kernel into the spec."""
        set_feature_kernel(spec, self._sample_kernel(), self._params(), features is not None)
        return None if features is None else check_features(features, X.shape[0])

    def _weigh(self, X: Any, sample_weight: Any, spec: _core.Specification) -> Any:
        """Return X without samples of weight 0; put the other weights into the spec."""
        weights = check_weights(sample_weight, X.shape[0])
        counted = weights > 0
        if not counted.all():
            self._counted = counted
            X = part_of(X, self._kernel_in, counted, counted)
            if callable(self._kernel_in):
                self.X_fit_ = X
        weights = weights[counted]
        if (weights != weights[0]).any():
            spec.sample_weights = weights
        return X

    def _counted_only(self, values: Any) -> Any:
        return values if self._counted is None else values[self._counted]

    def _answer_left_out(self, X: Any, features: Any) -> None:
        """Predict the samples of weight 0 as new samples."""
        if self._counted is None:
            return
        others = part_of(X, self._kernel_in, ~self._counted, self._counted)
        if features is not None:
            kinds = self._model().info["samples"].split("+")
            samples = new_nodes(others, features[~self._counted], kinds)
            self._left_out = self._model().predict_new(samples)
            return
        samples = new_samples(others, self._kernel_in, getattr(self, "X_fit_", None))
        self._left_out = self._model().predict_new(samples)

    def _samples(
        self, X: Any, spec: _core.Specification, features: Any = None
    ) -> _core.Samples:
        """Return X for the library, and limit n_neighbors to the number of samples."""
        if spec.neighbors is not None and spec.neighbors >= X.shape[0]:
            warnings.warn(
                f"n_neighbors={spec.neighbors} for {X.shape[0]} samples: all "
                f"{X.shape[0] - 1} others are neighbors",
                UserWarning,
                stacklevel=4,
            )
            spec.neighbors = X.shape[0] - 1
        if spec.embedding > X.shape[0]:
            raise ValueError(
                f"n_components={spec.embedding} for {X.shape[0]} samples; expected at most "
                f"{X.shape[0]}"
            )
        kernel = self._kernel_in
        options = kernel_options(kernel, self._params())
        samples = known_samples(
            X,
            kernel,
            getattr(self, "feature_names_in_", ()),
            options.get("symmetrize", False),
        )
        if features is not None:
            set_features(samples, features)
        self._set_names(samples)
        return samples

    def _set_names(self, samples: Any) -> None:
        """Put the names of the samples into the model, if they are different as texts."""
        if not hasattr(self, "sample_names_in_"):
            return
        names = [str(name) for name in self._counted_only(self.sample_names_in_)]
        if len(set(names)) == len(names):
            samples.set_names(names)

    def _finish_specification(self, spec: _core.Specification, labels: Array) -> None:
        """Set the options that depend on the labels: class codes or targets."""

    def _run(
        self,
        samples: _core.Samples,
        labels: Array,
        names: list[str],
        spec: _core.Specification,
        boolean: bool = False,
    ) -> Any:
        """What a fit asks the library for; explain asks for something else."""
        return _core.fit(samples, labels, names, spec, boolean)

    def _keep(self, fitted: Any, y: Array) -> None:
        """Store the result of ``_core.fit``; y determines the signs of the embedding."""
        model, summary, embedding, system = fitted
        self.model_ = ModelState(model, system)
        self.summary_ = Summary(summary)
        self.n_iter_ = max(1, summary["iterations"])
        self._keep_choices(summary)
        self._keep_embedding(embedding, y)
        for text in summary["warnings"]:
            warnings.warn(text, UserWarning, stacklevel=4)
        warn_unless_converged(summary, stacklevel=4)

    def _keep_choices(self, summary: dict[str, Any]) -> None:
        """Store chosen values as attributes, those that this fit has."""
        numbers = {"ridge": summary["ridge"] or None, "beta": summary["beta"] or None}
        numbers.update(summary["numbers"])
        for attribute, name, kind in _CHOSEN:
            if numbers.get(name) is not None:
                setattr(self, attribute, kind(numbers[name]))
        chosen = self._kernel_in
        self.kernel_ = summary["kernel"] if isinstance(chosen, str) and chosen == "auto" else chosen


class SpectralClassifier(ClassPredictor, SpectralEstimator):
    """Base class of classifiers."""

    def _fit_classes(
        self,
        X: Samples,
        y: Labels,
        labeled: Any,
        spec: _core.Specification,
        sample_weight: Any = None,
        features: Any = None,
    ) -> Self:
        X, y = self._take(X, y)
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        counted = self._weigh(X, sample_weight, spec)
        self.classes_, codes = encode_classes(y, labeled, X.shape[0], self._counted)
        codes = self._counted_only(codes)
        self._finish_specification(spec, codes)
        kept = None if features is None else self._counted_only(features)
        self._fit_codes(self._samples(counted, spec, kept), codes, spec)
        self._answer_left_out(X, features)
        return self

    def _fit_codes(
        self, samples: _core.Samples, codes: Array, spec: _core.Specification
    ) -> None:
        boolean = self.classes_.dtype.kind == "b"
        fitted = self._run(samples, codes, class_names(self.classes_), spec, boolean)
        self._keep(fitted, codes)


class SpectralRegressor(TargetPredictor, SpectralEstimator):
    """Base class of regressors."""

    def _fit_targets(
        self,
        X: Samples,
        y: Labels,
        labeled: Any,
        spec: _core.Specification,
        sample_weight: Any = None,
        features: Any = None,
    ) -> Self:
        X, y = self._take(X, y)
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        counted = self._weigh(X, sample_weight, spec)
        targets = self._counted_only(encode_targets(y, labeled, X.shape[0], self._counted))
        self._finish_specification(spec, targets)
        self._one_dimensional = np.asarray(y).ndim == 1
        names = [f"y{k}" for k in range(targets.shape[1])]
        kept = None if features is None else self._counted_only(features)
        self._keep(self._run(self._samples(counted, spec, kept), targets, names, spec), targets)
        self._answer_left_out(X, features)
        return self

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multioutput": True}
