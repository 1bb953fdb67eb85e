"""Semi-supervised regression."""

from __future__ import annotations

from sklearn.base import RegressorMixin

from ._checks import check_flag
from ._estimator import SpectralRegressor
from .classification import embedding_scale

__all__ = ["STKRRegressor"]


class STKRRegressor(RegressorMixin, SpectralRegressor):
    """Spectrally transformed kernel regression of real-valued targets.

    Parameters
    ----------
    kernel, n_neighbors, kernel_params, transform, eta, power, time, n_components, beta, solver, \
tol, max_iter, memory, random_state, n_jobs
        As in :class:`stkr.STKRClassifier`.
    length_scale : float, "median" or None, default=None
        None: the median distance to the 10th labeled neighbor.
    ridge : float, default=None
        As in :class:`stkr.STKRClassifier`; None: the power of ten with the smallest leave-one-out
        squared error.
    fit_intercept : bool, default=True
        Fit f = h + b with an intercept b that the norm does not penalize: the paper's ridge
        regression. Otherwise b = 0.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The predicted targets of every fitted sample.
    evidence_ : ndarray of bool of shape (n_samples,)
        False if no label reaches the sample: its prediction is b.
    dual_coef_, n_iter_, n_features_in_, summary_, eigenvalues_
        As in :class:`stkr.STKRClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import STKRRegressor
    >>> X = np.linspace(0, 3, 40)[:, np.newaxis]
    >>> y = np.where(np.arange(40) % 8 == 0, np.sin(X[:, 0]), np.nan)
    >>> model = STKRRegressor(transform="power", power=1, length_scale=1.0, beta=1e-6).fit(X, y)
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.01)
    True
    """

    _chooses_kernel = True

    def __init__(
        self,
        kernel="auto",
        *,
        length_scale=None,
        n_neighbors=None,
        kernel_params=None,
        transform="auto",
        eta=None,
        power=2.0,
        time=1.0,
        n_components=None,
        ridge=None,
        beta=None,
        solver="auto",
        tol=1e-8,
        max_iter=1000,
        fit_intercept=True,
        memory=None,
        random_state=1,
        n_jobs=None,
    ):
        self._store(locals())

    def fit(self, X, y, labeled=None, sample_weight=None, features=None):
        """Fit to labeled and unlabeled samples.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples; for ``kernel="graph"`` the adjacency matrix, for ``"precomputed"`` K.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Regression targets; NaN in every target of unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices; y of the other samples is ignored.
        sample_weight : array of shape (n_samples,), optional
            As in :meth:`stkr.STKRClassifier.fit`.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features of a graph, as in :meth:`stkr.STKRClassifier.fit`.

        Returns
        -------
        self
        """
        spec = self._specification()
        self._set_stkr(spec)
        spec.intercept = check_flag("fit_intercept", self.fit_intercept)
        return self._fit_targets(X, y, labeled, spec, sample_weight, features)

    def _embedding_scale(self):
        return embedding_scale(self)
