"""Label spreading of Zhou et al. (2003)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Mapping

from ._checks import check_count, check_flag, check_positive
from ._estimator import SpectralClassifier, SpectralRegressor
from ._renamed import warn_renamed
from ._scoring import PartlyLabeledClassifier, PartlyLabeledRegressor
from ._specification import set_prior
from ._types import Kernel, Labels, Numbers, Samples

if TYPE_CHECKING:
    from typing import Self

__all__ = ["LabelSpreading", "LabelSpreadingRegressor"]


class LabelSpreading(PartlyLabeledClassifier, SpectralClassifier):
    """Label spreading of Zhou et al. (2003), the paper's transductive baseline.

    The paper calls it label propagation; scikit-learn's ``LabelSpreading`` is the same method.

    Solves (I - ηS) Ŷ = Ỹ, or takes a few steps Ŷ ← ηSŶ + Ỹ. A new sample gets the same scores as
    an unlabeled sample with the same edges.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params
        As in :class:`STKRClassifier`.
    eta : float, default=None
        η; None: 0.8/λ₁.
    n_steps : int, default=None
        Number of propagation steps; None: until convergence.
    n_components : int, default=None
        Number of dimensions of the spectral embedding that :meth:`transform` returns.
    tol, max_iter, class_mass, prior, memory, random_state, n_jobs, device, verbose
        As in :class:`STKRClassifier`.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, dual_coef_, n_iter_, n_features_in_, summary_
        As in :class:`STKRClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from stkr import LabelSpreading
    >>> path = csr_matrix(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1))
    >>> LabelSpreading("graph").fit(path, ["a", "", "", "", "b"]).transduction_[[1, 3]]
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        kernel: Kernel = "rbf",
        *,
        length_scale: float | str | None = None,
        n_neighbors: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        eta: float | None = None,
        n_steps: int | None = None,
        n_components: int | None = None,
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

    def fit(self, X: Samples, y: Labels, labeled: Any = None, features: Any = None) -> Self:
        """Fit to labeled and unlabeled samples, as :meth:`STKRClassifier.fit` does.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty string for unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features of a graph.

        Returns
        -------
        self
        """
        spec = self._specification()
        spec.method = "label-propagation"
        if self.eta is not None:
            spec.eta = check_positive("eta", self.eta)
        if self.n_steps is not None:
            spec.iterations = check_count("n_steps", self.n_steps)
        spec.class_mass = check_flag("class_mass", self.class_mass)
        set_prior(spec, self.prior)
        spec.by_volume = len(spec.prior) > 0
        return self._fit_classes(X, y, labeled, spec, features=features)


class LabelSpreadingRegressor(PartlyLabeledRegressor, SpectralRegressor):
    """Label spreading of targets: :class:`stkr.LabelSpreading` for numbers.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params, eta, n_steps, n_components, tol, max_iter, \
memory, random_state, n_jobs, device, verbose
        As in :class:`stkr.LabelSpreading`.
    fit_intercept : bool, default=True
        Spread the deviations from the mean target, instead of the targets.

    Attributes
    ----------
    transduction_, evidence_, dual_coef_, n_iter_, n_features_in_, summary_
        As in :class:`STKRRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from stkr import LabelSpreadingRegressor
    >>> path = csr_matrix(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1))
    >>> y = [0.0, np.nan, np.nan, np.nan, 1.0]
    >>> values = LabelSpreadingRegressor("graph").fit(path, y).transduction_
    >>> bool(values[1] < values[2] < values[3])
    True
    """

    def __init__(
        self,
        kernel: Kernel = "rbf",
        *,
        length_scale: float | str | None = None,
        n_neighbors: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        eta: float | None = None,
        n_steps: int | None = None,
        n_components: int | None = None,
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

    def fit(self, X: Samples, y: Labels, labeled: Any = None, features: Any = None) -> Self:
        """Fit to labeled and unlabeled samples, as :meth:`STKRRegressor.fit` does.

        Returns
        -------
        self
        """
        spec = self._specification()
        spec.method = "label-propagation"
        if self.eta is not None:
            spec.eta = check_positive("eta", self.eta)
        if self.n_steps is not None:
            spec.iterations = check_count("n_steps", self.n_steps)
        spec.intercept = check_flag("fit_intercept", self.fit_intercept)
        return self._fit_targets(X, y, labeled, spec, features=features)

    def _more_tags(self) -> dict[str, Any]:
        # Targets are smoothed, not fitted: without a ridge to choose, R² stays far from 1.
        return {**super()._more_tags(), "poor_score": True}

    def __sklearn_tags__(self) -> Any:  # scikit-learn >= 1.6
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class LabelPropagation(LabelSpreading):
    """Deprecated name of :class:`LabelSpreading`."""

    @functools.wraps(LabelSpreading.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_renamed("class", "LabelPropagation", "LabelSpreading")
        super().__init__(*args, **kwargs)
