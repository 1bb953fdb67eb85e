"""Kernel PCA with a linear probe."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from . import _core
from ._checks import check_count, check_flag
from ._estimator import SpectralClassifier, SpectralRegressor
from ._scoring import PartlyLabeledClassifier, PartlyLabeledRegressor
from ._specification import set_prior, set_ridge
from ._types import Array, Floats, Kernel, Labels, Numbers, Samples

if TYPE_CHECKING:
    from typing import Self

__all__ = ["KernelPCAProbe", "KernelPCARegressor"]


class KernelPCAProbe(PartlyLabeledClassifier, SpectralClassifier):
    """Kernel PCA on the unlabeled samples, then ridge regression on its features.

    The paper's truncation: uses only the d leading eigenfunctions. If every sample is labeled,
    or none, kernel PCA is computed on all samples.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params
        As in :class:`STKRClassifier`.
    n_components : int, default=None
        d; None: three per class, at most half the labels, an eighth of the unlabeled samples,
        and 128; without y, ten, and at most half of the samples. Equal eigenvalues are all taken,
        with a warning; on graphs, only components that a label reaches are used.
    ridge, beta : float, default=None
        Of the linear probe, as in :class:`STKRClassifier`.
    tol, max_iter, class_mass, prior, memory, random_state, n_jobs, device, verbose
        As in :class:`STKRClassifier`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the kernel on the unlabeled samples.
    classes_, transduction_, label_distributions_, dual_coef_, n_iter_, n_features_in_, summary_
        As in :class:`STKRClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import KernelPCAProbe
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> probe = KernelPCAProbe(length_scale=0.5, n_components=2).fit(X, [0, -1, -1, 1, -1, -1])
    >>> probe.transduction_
    array([0, 0, 0, 1, 1, 1])
    >>> probe.transform(X).shape
    (6, 2)
    """

    _always_embeds = True

    def __init__(
        self,
        kernel: Kernel = "rbf",
        *,
        length_scale: float | str | None = None,
        n_neighbors: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int | None = None,
        ridge: float | None = None,
        beta: float | None = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        class_mass: bool = False,
        prior: str | Numbers | None = None,
        memory: int | str | None = None,
        random_state: Any = 1,
        n_jobs: int | None = None,
        device: str | None = None,
        verbose: bool = False,
    ) -> None:
        self._store(locals())

    def fit(
        self,
        X: Samples,
        y: Labels = None,
        labeled: Any = None,
        sample_weight: Any = None,
        features: Any = None,
    ) -> Self:
        """Fit to labeled and unlabeled samples, as :meth:`STKRClassifier.fit` does.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,), optional
            Classes; -1, NaN, None or an empty string for unlabeled samples. Without y, samples can
            be embedded, but not classified.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices.
        sample_weight : array of shape (n_samples,), optional
            Weight of each sample.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features of a graph.

        Returns
        -------
        self
        """
        self._without_labels = y is None and labeled is None
        if self._without_labels:
            return self._fit_without_labels(X, sample_weight, features)
        return self._fit_classes(
            X, y, labeled, self._full_specification(), sample_weight, features
        )

    def _full_specification(self) -> _core.Specification:
        spec = self._specification()
        spec.method = "kernel-pca"
        spec.tolerance = spec.max_iterations = None  # not of its eigensolver
        spec.embedding = 1  # the features themselves, whatever their number
        if self.n_components is not None:
            spec.dimension = check_count("n_components", self.n_components)
        set_ridge(spec, self.ridge, self.beta)
        spec.class_mass = check_flag("class_mass", self.class_mass)
        set_prior(spec, self.prior)
        spec.by_volume = len(spec.prior) > 0
        return spec

    def _fit_without_labels(self, X: Samples, sample_weight: Any, features: Any) -> Self:
        """Fit kernel PCA of all samples; the labels are arbitrary and never used."""
        if self.prior is not None or self.class_mass:
            raise ValueError("prior and class_mass need labels, but y is None; omit them")
        spec = self._full_specification()
        X = self._check_X(X)
        n_samples = X.shape[0]
        if self.n_components is None:
            spec.dimension = min(10, max(1, n_samples // 2))
        codes = np.arange(n_samples) % 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about predictions
            self._fit_classes(X, codes, np.arange(n_samples), spec, sample_weight, features)
        del self.classes_
        return self

    def _finish_specification(self, spec: _core.Specification, labels: Array) -> None:
        spec.pca_of_all = bool((labels >= 0).all())

    def _embedding_scale(self) -> Floats:
        scale: Floats = np.sqrt(self.eigenvalues_)
        return scale


class KernelPCARegressor(PartlyLabeledRegressor, SpectralRegressor):
    """Kernel PCA on the unlabeled samples, then ridge regression of targets on its features.

    :class:`stkr.KernelPCAProbe` for numbers.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params, n_components, tol, max_iter, memory, \
random_state, n_jobs, device, verbose
        As in :class:`stkr.KernelPCAProbe`.
    ridge, beta, fit_intercept
        As in :class:`STKRRegressor`.

    Attributes
    ----------
    transduction_, evidence_, dual_coef_, n_iter_, n_features_in_, summary_, eigenvalues_
        As in :class:`STKRRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import KernelPCARegressor
    >>> X = np.linspace(0, 3, 40)[:, np.newaxis]
    >>> y = np.where(np.arange(40) % 4 == 0, np.sin(X[:, 0]), np.nan)
    >>> model = KernelPCARegressor(n_components=4, length_scale=1.0, ridge=1e-6).fit(X, y)
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.05)
    True
    """

    _always_embeds = True

    def __init__(
        self,
        kernel: Kernel = "rbf",
        *,
        length_scale: float | str | None = None,
        n_neighbors: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int | None = None,
        ridge: float | None = None,
        beta: float | None = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        memory: int | str | None = None,
        random_state: Any = 1,
        n_jobs: int | None = None,
        device: str | None = None,
        verbose: bool = False,
    ) -> None:
        self._store(locals())

    def fit(
        self,
        X: Samples,
        y: Labels,
        labeled: Any = None,
        sample_weight: Any = None,
        features: Any = None,
    ) -> Self:
        """Fit to labeled and unlabeled samples, as :meth:`STKRRegressor.fit` does.

        Returns
        -------
        self
        """
        spec = self._specification()
        spec.method = "kernel-pca"
        spec.tolerance = spec.max_iterations = None  # not of its eigensolver
        spec.embedding = 1  # the features themselves, whatever their number
        if self.n_components is not None:
            spec.dimension = check_count("n_components", self.n_components)
        set_ridge(spec, self.ridge, self.beta)
        spec.intercept = check_flag("fit_intercept", self.fit_intercept)
        return self._fit_targets(X, y, labeled, spec, sample_weight, features)

    def _finish_specification(self, spec: _core.Specification, labels: Array) -> None:
        spec.pca_of_all = not np.isnan(labels).any()

    def _embedding_scale(self) -> Floats:
        scale: Floats = np.sqrt(self.eigenvalues_)
        return scale
