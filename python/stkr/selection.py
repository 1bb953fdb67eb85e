"""Estimators that choose transform, ridge and kernel by validation.

The points of the grid share work: powers share products, inverse Laplacians a Krylov space,
dimensions eigenvectors, and ridges a factorization. This costs far less than a loop of fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from ._certainty import ClassCertainty, TargetCertainty
from ._checks import check_flag
from ._estimator import SpectralClassifier, SpectralRegressor
from ._labels import class_names, encode_classes, encode_targets
from ._scoring import PartlyLabeledClassifier, PartlyLabeledRegressor
from ._search import class_mass_of
from ._selects import Selects
from ._specification import set_prior
from ._types import Kernel, Labels, Numbers, Samples
from .classification import STKRClassifier
from .kernel_pca import KernelPCAProbe, KernelPCARegressor
from .label_spreading import LabelSpreading, LabelSpreadingRegressor
from .regression import STKRRegressor

if TYPE_CHECKING:
    from typing import Self

__all__ = ["STKRClassifierCV", "STKRRegressorCV"]


class STKRClassifierCV(ClassCertainty, Selects, PartlyLabeledClassifier, SpectralClassifier):
    """Classifier that chooses transform, ridge and kernel by cross-validation.

    Parameters
    ----------
    kernel : str, callable, or list of str, default="rbf"
        As in :class:`stkr.STKRClassifier`; or a list of point kernels to choose from.
    length_scales : list, default=None
        Numbers, strings such as ``"0.5x"`` (times the default) or ``"median"``.
    n_neighbors : int or list of int, default=None
        For ``knn``; None: 10.
    kernel_params : dict, default=None
        As in :class:`stkr.STKRClassifier`.
    families : list of str, default=None
        Some of ``power``, ``inverse_laplacian``, ``diffusion``, ``kernel_pca`` and
        ``label_propagation``; None: all but ``diffusion``.
    powers, etas, times, dimensions : list of float, default=None
        The grid; None: the paper's grid. η is in units of 1/λ₁.
    ridges : list of float, default=None
        As ``ridge`` of :class:`stkr.STKRClassifier`; None: powers of ten from 100 to 1e-9.
    betas : list of float, default=None
        The paper's β, instead of ``ridges``.
    cv : int, "loo", splitter, list of pairs, pair of arrays or None, default=None
        Number of folds of the labeled samples; ``"loo"``: leave-one-out, in closed form; a
        splitter of scikit-learn, which divides the labeled samples; (train, test) pairs of
        indices, in which unlabeled samples are ignored; or the indices of the training and of the
        validation samples. None: 5 folds, or leave-one-out with fewer labels.
    scoring : str or callable, default=None
        ``accuracy`` (the default), ``balanced_accuracy``, ``f1_macro``, any other name of
        ``sklearn.metrics.get_scorer_names()``, or a function of an estimator, X and y. All
        held-out predictions are scored together. The three named first count a sample without
        evidence as a guess; others see the prediction.
    class_mass : bool or "both", default=False
        ``"both"`` chooses by score.
    n_components : int, default=None
        Number of dimensions of the spectral embedding that :meth:`transform` returns.
    prior, memory, random_state, n_jobs, device, verbose
        As in :class:`stkr.STKRClassifier`.

    Attributes
    ----------
    best_estimator_ : STKRClassifier, KernelPCAProbe or LabelSpreading
        The chosen point, fitted to all labels; predictions come from it.
    best_params_ : dict
        The parameters of ``best_estimator_`` that are not defaults, so that
        ``STKRClassifier(**cv.best_params_)`` repeats its fit.
    best_family_ : str
        Its family; ``kernel_pca`` is a KernelPCAProbe, ``label_propagation`` a LabelSpreading.
    best_score_ : float
        The best of all scores, which is optimistic, as it was chosen among many.
    expected_score_ : float or None
        Estimated score of the chosen point on new samples: the best point on a bootstrap sample
        of the validated samples, scored on the others, on average (Tsamardinos et al. 2018). None
        for one point, fewer than four samples, or a score that is not the library's own.
    best_index_ : int
        Index of the chosen point in ``cv_results_``.
    cv_results_ : dict of ndarray
        ``family``, ``parameter``, ``ridge`` (0 if β was given), ``beta`` (the equivalent β of the
        paper for all labels), ``iterations``, ``class_mass``, ``kernel``, ``params`` (as
        ``best_params_``), ``mean_test_score`` (of all held-out predictions together),
        ``std_test_score`` (over the folds; NaN if a fold has no score of its own), ``loss``
        (squared error, for classes that of their shares; breaks ties between scores),
        ``rank_test_score``, which is equal for equal scores.
    n_splits_ : int
        Number of folds.
    n_tied_ : int
        Number of points with the best score; ties are broken by the smallest ``loss``.
    left_out_ : list of (str, str)
        Kernels and parameters that could not be tried, and why.
    selection_warnings_ : list of str
        What could not be tried, and doubtful results: most held-out samples have no evidence, or
        nearly all get the same class.
    classes_, transduction_, label_distributions_, evidence_, tied_, dual_coef_, n_iter_, \
n_features_in_, summary_
        Of the chosen point, fitted to all labels: as in :class:`stkr.STKRClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from stkr import STKRClassifierCV
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = STKRClassifierCV("knn", families=["inverse_laplacian"], cv="loo")
    >>> clf = clf.fit(X, y, labeled=range(100))
    >>> clf.best_family_, len(clf.cv_results_["ridge"]), clf.best_estimator_.n_neighbors
    ('inverse_laplacian', 96, 10)
    >>> clf.expected_score_ < clf.best_score_
    True
    >>> bool((clf.transduction_ == y).mean() > 0.9)
    True
    """

    _kind = "classes"
    _best = {"kernel_pca": KernelPCAProbe, "label_propagation": LabelSpreading}
    _best_by_default = STKRClassifier

    def __init__(
        self,
        kernel: Kernel | Sequence[str] = "rbf",
        *,
        length_scales: Any = None,
        n_neighbors: int | Sequence[int] | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        families: str | Sequence[str] | None = None,
        powers: Numbers | None = None,
        etas: Numbers | None = None,
        times: Numbers | None = None,
        dimensions: Numbers | None = None,
        ridges: Numbers | None = None,
        betas: Numbers | None = None,
        cv: Any = None,
        scoring: Any = None,
        class_mass: bool | str = False,
        prior: str | Numbers | None = None,
        n_components: int | None = None,
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
        features: Any = None,
        groups: Any = None,
    ) -> Self:
        """Select the best point and fit it to all labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            All samples.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty string for unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features, for ``kernel="graph"``. ``smooth`` and ``share`` of ``kernel_params``
            may be lists, from which the best is chosen.
        groups : array of shape (n_samples,), optional
            For splitters such as ``GroupKFold``.

        Returns
        -------
        self
        """
        spec = self._search_specification()
        set_prior(spec, self.prior)
        X, y = self._take(X, y)
        given = X
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        self.classes_, codes = encode_classes(y, labeled, X.shape[0])
        self._select(
            X,
            codes,
            class_names(self.classes_),
            spec,
            class_mass=class_mass_of(self.class_mass),
            features=features,
            groups=groups,
        )
        known = codes >= 0
        self._fit_best(given, self.classes_[np.where(known, codes, 0)], known, features)
        return self


class STKRRegressorCV(TargetCertainty, Selects, PartlyLabeledRegressor, SpectralRegressor):
    """Regressor that chooses transform, ridge and kernel by cross-validation.

    Parameters
    ----------
    kernel, length_scales, n_neighbors, kernel_params, families, powers, etas, times, dimensions, \
ridges, betas, cv, n_components, memory, random_state, n_jobs, device, verbose
        As in :class:`STKRClassifierCV`.
    scoring : str or callable, default=None
        ``r2`` (the default), ``mse``, the mean squared error, which is minimized,
        ``neg_mean_squared_error``, or as in :class:`STKRClassifierCV`.
    fit_intercept : bool, default=True
        As in :class:`stkr.STKRRegressor`.

    Attributes
    ----------
    best_estimator_ : STKRRegressor, KernelPCARegressor or LabelSpreadingRegressor
        The chosen point, fitted to all labels; predictions come from it.
    best_params_, best_family_, best_score_, expected_score_, best_index_, cv_results_, n_splits_, \
n_tied_, left_out_, selection_warnings_
        As in :class:`STKRClassifierCV`.
    transduction_, dual_coef_, n_iter_, n_features_in_, summary_
        As in :class:`stkr.STKRRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import STKRRegressorCV
    >>> X = np.linspace(0, 3, 60)[:, np.newaxis]
    >>> y = np.where(np.arange(60) % 3 == 0, np.sin(X[:, 0]), np.nan)
    >>> model = STKRRegressorCV(families=["power"], length_scales=[0.3, 1.0]).fit(X, y)
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.05)
    True
    """

    _kind = "numbers"
    _best = {"kernel_pca": KernelPCARegressor, "label_propagation": LabelSpreadingRegressor}
    _best_by_default = STKRRegressor

    def __init__(
        self,
        kernel: Kernel | Sequence[str] = "rbf",
        *,
        length_scales: Any = None,
        n_neighbors: int | Sequence[int] | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        families: str | Sequence[str] | None = None,
        powers: Numbers | None = None,
        etas: Numbers | None = None,
        times: Numbers | None = None,
        dimensions: Numbers | None = None,
        ridges: Numbers | None = None,
        betas: Numbers | None = None,
        cv: Any = None,
        scoring: Any = None,
        fit_intercept: bool = True,
        n_components: int | None = None,
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
        features: Any = None,
        groups: Any = None,
    ) -> Self:
        """Select the best point and fit it to all labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            All samples.
        y : array of shape (n_samples,)
            Regression targets; NaN for unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features, for ``kernel="graph"``. ``smooth`` and ``share`` of ``kernel_params``
            may be lists, from which the best is chosen.
        groups : array of shape (n_samples,), optional
            For splitters such as ``GroupKFold``.

        Returns
        -------
        self
        """
        spec = self._search_specification()
        spec.intercept = check_flag("fit_intercept", self.fit_intercept)
        X, y = self._take(X, y)
        given = X
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        targets = encode_targets(y, labeled, X.shape[0])
        self._one_dimensional = np.asarray(y).ndim == 1
        names = [f"y{k}" for k in range(targets.shape[1])]
        self._select(X, targets, names, spec, features=features, groups=groups)
        known = ~np.isnan(targets[:, 0])
        y = targets[:, 0] if self._one_dimensional else targets
        self._fit_best(given, y, known, features)
        return self
