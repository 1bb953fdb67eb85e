"""Base classes of the estimators: parameters, fitting, the spectral embedding."""

from __future__ import annotations

import warnings
from types import MethodType

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from . import _core
from ._checks import check_count, check_positive
from ._labels import class_names, encode_classes, encode_targets
from ._prediction import ClassPredictor, ModelState, TargetPredictor
from ._specification import (
    OTHER_KERNELS,
    kernel_options,
    new_specification,
    set_feature_kernel,
    set_kernel,
    set_ridge,
    set_transform,
    solver_name,
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
from ._weights import check_weights, part_of
from .exceptions import warn_unless_converged
from .transforms import as_transform, transform_name


def _has_embedding(estimator) -> bool:
    return estimator._always_embeds or getattr(estimator, "n_components", None) is not None


def _signs(values, y) -> np.ndarray:
    """Return the factors, 1 or -1, that fix the signs of eigenvectors.

    The entry of largest absolute value becomes positive. If the largest and the smallest entry
    have the same absolute value, the labels decide instead of rounding and the sample order.
    """
    known = y >= 0 if y.ndim == 1 else ~np.isnan(y[:, 0])
    labels = y[known].astype(float).reshape(known.sum(), -1)[:, 0]
    top, bottom = values.max(axis=0), -values.min(axis=0)
    balanced = np.abs(top - bottom) <= 1e-6 * np.maximum(top, bottom)
    leaning = (labels - labels.mean()) @ values[known]
    return np.where(np.where(balanced, leaning < 0, bottom > top), -1.0, 1.0)


class EmbeddingMethod:
    """The method ``estimator.transform``, which coexists with the parameter of the same name.

    scikit-learn calls the method that embeds samples ``transform``, and the paper calls s a
    transform. The parameter is in the instance's dictionary, where ``get_params`` finds it; the
    attribute is the method, which exists only if ``n_components`` requests an embedding.
    """

    def __get__(self, instance, owner=None):
        if instance is None:
            return SpectralEstimator._embed
        if not _has_embedding(instance):
            raise AttributeError(
                f"{type(instance).__name__} has no spectral embedding: set n_components"
            )
        return MethodType(SpectralEstimator._embed, instance)

    def __set__(self, instance, value):
        instance.__dict__["transform"] = value


class SpectralEstimator(BaseEstimator):
    """Base class of all estimators: fits a model and keeps it in ``model_``."""

    transform = EmbeddingMethod()
    _always_embeds = False
    _chooses_kernel = False

    def _store(self, arguments: dict) -> None:
        """Store the constructor's arguments unchanged, as scikit-learn requires."""
        for name in self._get_param_names():
            setattr(self, name, arguments[name])

    def get_params(self, deep=True):
        """Return the parameters by name, as given.

        Parameters
        ----------
        deep : bool, default=True
            Ignored: no parameter is an estimator.

        Returns
        -------
        dict
        """
        return {name: self.__dict__[name] for name in self._get_param_names()}

    def _more_tags(self):
        return {
            "pairwise": self.kernel in OTHER_KERNELS,
            "preserves_dtype": [np.float64, np.float32],
        }

    def __sklearn_tags__(self):  # scikit-learn >= 1.6
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel in OTHER_KERNELS
        tags.input_tags.sparse = self.kernel in ("auto", "graph")
        return tags

    # Fitting, in order of execution.

    def _specification(self) -> "_core.Specification":
        spec = new_specification(self.random_state, self.n_jobs, self.memory)
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
        spec.tolerance = check_positive("tol", self.tol)
        spec.max_iterations = check_count("max_iter", self.max_iter)
        spec.embedding = self._embedding_size()
        return spec

    def _embedding_size(self) -> int:
        wanted = getattr(self, "n_components", None)
        return 0 if wanted is None else check_count("n_components", wanted)

    def _set_stkr(self, spec) -> None:
        """Set the solver, the ridge and the transform."""
        spec.solver = solver_name(self.solver)
        set_ridge(spec, self.ridge, self.beta)
        transform = self._transform_parameter()
        s = as_transform(
            transform,
            eta=self.eta,
            power=self.power,
            time=self.time,
            n_components=self.n_components,
        )
        set_transform(spec, s)
        if s is None:
            spec.transform_name = transform_name(transform)

    def _transform_parameter(self):
        """Return the parameter; an embedding needs one s, so it replaces "auto"."""
        transform = self.__dict__["transform"]
        if not isinstance(transform, str) or self.n_components is None:
            return transform
        if transform == "learned" or "@" in transform:
            raise ValueError(
                f"transform={transform!r} and n_components={self.n_components}: an embedding needs "
                "an s that is known before the fit; expected a transform by name or as text"
            )
        return "inverse_laplacian" if transform == "auto" else transform

    def _sample_kernel(self, X=None):
        """Return the kernel that determines the form of X."""
        automatic = isinstance(self.kernel, str) and self.kernel == "auto"
        square = scipy.sparse.issparse(X) and X.shape[0] == X.shape[1]
        return "graph" if automatic and square else self.kernel

    def _params(self):
        """Return the kernel_params of one kernel."""
        return self.kernel_params

    def _check_X(self, X):
        # Discard the previous fit: if this one fails, the estimator is not fitted.
        self.__dict__.pop("model_", None)
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

    def _check_features(self, features, X, spec):
        """Return node features of a graph, or None; put their kernel into the spec."""
        set_feature_kernel(spec, self._sample_kernel(), self._params(), features is not None)
        return None if features is None else check_features(features, X.shape[0])

    def _weigh(self, X, sample_weight, spec):
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

    def _counted_only(self, values):
        return values if self._counted is None else values[self._counted]

    def _answer_left_out(self, X, features) -> None:
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

    def _samples(self, X, spec, features=None) -> "_core.Samples":
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
        return samples

    def _keep(self, fitted, y) -> None:
        """Store the result of ``_core.fit``; y determines the signs of the embedding."""
        model, summary, embedding = fitted
        self.model_ = ModelState(model)
        self.summary_ = Summary(summary)
        self.n_iter_ = max(1, summary["iterations"])
        self._embedding = None
        if embedding is not None:
            self.eigenvalues_, *self._embedding = embedding
            signs = _signs(self._embedding[0], y)
            self._embedding = [signs * part for part in self._embedding]
        for text in summary["warnings"]:
            warnings.warn(text, UserWarning, stacklevel=4)
        warn_unless_converged(summary, stacklevel=4)

    # Embedding.

    def _embedding_scale(self) -> np.ndarray:
        """Return the factors of the eigenfunctions: √s(λ) makes inner products K_s."""
        return np.ones(len(self.eigenvalues_))

    def _embed(self, X) -> np.ndarray:
        """Return the spectral embedding of new samples, one column per leading eigenfunction.

        Parameters
        ----------
        X : array or sparse matrix
            As in ``predict``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            √s(λ_k) ψ_k(x): inner products of rows approximate the transformed kernel. A sample
            that equals a fitted one gets the same row as in ``fit_transform``.
        """
        model, samples = self._model(), self._new(X)
        if self._embedding is None:
            raise NotFittedError(
                f"This {type(self).__name__} was fitted without n_components: fit it again to "
                "embed samples"
            )
        values, coefficients = (part * self._embedding_scale() for part in self._embedding)
        return self._cast(model.kernel_product(samples, coefficients, values))

    @available_if(_has_embedding)
    def fit_transform(self, X, y=None, labeled=None, **fit_params) -> np.ndarray:
        """Fit, then embed the same samples.

        Parameters
        ----------
        X, y, labeled, **fit_params
            As in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            √s(λ_k) ψ_k at the samples: √(N s(λ_k)) times the k-th eigenvector of S.
        """
        self.fit(X, y, labeled=labeled, **fit_params)
        values = self._cast(self._embedding[0] * self._embedding_scale())
        if self._counted is None:
            return values
        return self._with_left_out(values, self._embed(X)[~self._counted])


class SpectralClassifier(ClassPredictor, SpectralEstimator):
    """Base class of classifiers."""

    def _fit_classes(self, X, y, labeled, spec, sample_weight=None, features=None):
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

    def _fit_codes(self, samples, codes, spec) -> None:
        boolean = self.classes_.dtype.kind == "b"
        fitted = _core.fit(samples, codes, class_names(self.classes_), spec, boolean)
        self._keep(fitted, codes)

    def _finish_specification(self, spec, codes) -> None:
        """Set the options that depend on the labels."""


class SpectralRegressor(TargetPredictor, SpectralEstimator):
    """Base class of regressors."""

    def _fit_targets(self, X, y, labeled, spec, sample_weight=None, features=None):
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        counted = self._weigh(X, sample_weight, spec)
        targets = self._counted_only(encode_targets(y, labeled, X.shape[0], self._counted))
        self._one_dimensional = np.asarray(y).ndim == 1
        names = [f"y{k}" for k in range(targets.shape[1])]
        kept = None if features is None else self._counted_only(features)
        self._keep(_core.fit(self._samples(counted, spec, kept), targets, names, spec), targets)
        self._answer_left_out(X, features)
        return self

    def _more_tags(self):
        return {**super()._more_tags(), "multioutput": True}
