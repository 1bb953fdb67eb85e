"""Semi-supervised regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ._certainty import TargetCertainty
from ._checks import check_flag
from ._estimator import SpectralRegressor
from ._renamed import renamed_parameter
from ._scoring import PartlyLabeledRegressor
from ._transform_parameter import Transform
from ._transformed import TransformParameters
from ._types import Kernel, Labels, Samples

if TYPE_CHECKING:
    from typing import Self

__all__ = ["STKRRegressor"]


class STKRRegressor(
    TargetCertainty, PartlyLabeledRegressor, SpectralRegressor, TransformParameters
):
    """Spectrally transformed kernel regression of real-valued targets.

    Parameters
    ----------
    kernel, n_neighbors, kernel_params, spectral_transform, eta, power, time, n_components, beta, solver, \
tol, max_iter, memory, random_state, n_jobs, device, verbose
        As in :class:`stkr.STKRClassifier`.
    length_scale : float, "median", a text such as "2x" or None, default=None
        None: the median distance to the 10th labeled neighbor.
    ridge : float, default=None
        As in :class:`stkr.STKRClassifier`; None: the power of ten with the smallest leave-one-out
        squared error.
    fit_intercept : bool, default=True
        Fit f = h + b with an intercept b that the norm does not penalize: the paper's ridge
        regression. Otherwise b = 0.
    leave_one_out : bool, default=False
        Leave every label out even if the fit does not do so on its way, for ``stkr predict
        --coverage`` with the saved model; up to 2,000 labels, without sample weights.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The predicted targets of every fitted sample.
    transduction_std_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The standard deviation of f at every fitted sample.
    evidence_ : ndarray of bool of shape (n_samples,)
        False if no label reaches the sample: its prediction is b.
    dual_coef_, n_iter_, n_features_in_, summary_, eigenvalues_, kernel_, length_scale_, \
n_neighbors_, eta_, lambda_1_, ridge_, beta_
        As in :class:`stkr.STKRClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import STKRRegressor
    >>> X = np.linspace(0, 3, 40)[:, np.newaxis]
    >>> y = np.where(np.arange(40) % 8 == 0, np.sin(X[:, 0]), np.nan)
    >>> model = STKRRegressor(power=1, length_scale=1.0, beta=1e-6).fit(X, y)
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.01)
    True
    """

    _chooses_kernel = True

    @renamed_parameter("transform", "spectral_transform")
    def __init__(
        self,
        kernel: Kernel = "auto",
        *,
        length_scale: float | str | None = None,
        n_neighbors: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        spectral_transform: Transform = "auto",
        eta: float | None = None,
        power: float | None = None,
        time: float | None = None,
        n_components: int | None = None,
        ridge: float | None = None,
        beta: float | None = None,
        solver: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        leave_one_out: bool = False,
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
        """Fit to labeled and unlabeled samples.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
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
