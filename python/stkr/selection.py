"""Estimators that choose transform, ridge and kernel by validation.

The points of the grid share work: powers share products, inverse Laplacians a Krylov space,
dimensions eigenvectors, and ridges a factorization. This costs far less than a loop of fits.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from . import _core
from ._checks import check_choice, check_flag
from ._estimator import SpectralClassifier, SpectralRegressor
from ._labels import class_names, encode_classes, encode_targets
from ._search import (
    class_mass_of,
    kernel_grid,
    kernel_list,
    search_grid,
    single_params,
    validation_of,
)
from ._specification import (
    dashed,
    new_specification,
    set_kernel,
    set_prior,
)

__all__ = ["STKRClassifierCV", "STKRRegressorCV"]

_SCORES = {
    "classes": ("accuracy", "balanced_accuracy", "macro_f1"),
    "numbers": ("r2", "mse"),
}


class _Selects:
    """Mixin that selects the best point of a grid."""

    def _sample_kernel(self, X=None):
        return kernel_list(self.kernel)[0]

    def _params(self):
        return single_params(self.kernel_params)

    def _search_specification(self):
        kernels = kernel_list(self.kernel)
        self._embedding_size()  # refuse a bad n_components before the search
        spec = new_specification(self.random_state, self.n_jobs, self.memory)
        if len(kernels) == 1:
            set_kernel(spec, kernels[0], kernel_params=self._params())
            spec.neighbors = None  # in the grid of kernels instead
        elif self.kernel_params:
            raise ValueError("got kernel_params and a list of kernels; expected one kernel")
        return spec

    def _select(self, X, y, names, spec, kind, class_mass="off", features=None):
        """Return the best spec and store the scores."""
        if self.scoring is not None:
            check_choice("scoring", self.scoring, _SCORES[kind])
        folds, split = validation_of(self.cv)
        selection = _core.select(
            self._samples(X, spec, features),
            y,
            names,
            spec,
            search_grid(self),
            kernel_grid(self),
            folds,
            split,
            "" if self.scoring is None else dashed(self.scoring),
            class_mass,
        )
        ranking = selection.ranking
        if not ranking:
            raise ValueError(
                "no point of the grid could be fitted: " + "; ".join(selection.warnings)
            )
        self.best_index_ = ranking[0]
        self.cv_results_ = _results(selection)
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.expected_score_ = selection.expected_score
        self.n_tied_ = selection.tied
        self.left_out_ = list(selection.left_out)
        self.scorer_ = selection.score.replace("-", "_")
        best = selection.specification(self.best_index_)
        self.best_params_ = _chosen(self.cv_results_, self.best_index_, best)
        self.selection_warnings_ = list(selection.warnings)
        return best


def _results(selection) -> dict:
    columns = {name: np.array(values) for name, values in selection.scores.items()}
    columns["mean_test_score"] = columns.pop("score")
    columns["family"] = np.array([name.replace("-", "_") for name in columns["family"]])
    rank = np.empty(len(columns["family"]), dtype=np.int64)
    rank[np.array(selection.ranking, dtype=np.int64)] = np.arange(1, len(rank) + 1)
    columns["rank_test_score"] = rank
    return columns


def _chosen(results, index, spec) -> dict:
    family = str(results["family"][index])
    params = {"family": family}
    if family == "power":
        params["power"] = spec.power
    elif family == "diffusion":
        params["time"] = spec.time
    elif family == "kernel_pca":
        params["n_components"] = spec.dimension
    else:
        params["eta"] = spec.eta
    if family == "label_propagation":
        params["n_steps"] = spec.iterations
    elif results["ridge"][index] > 0:
        params["ridge"] = float(results["ridge"][index])
    else:
        params["beta"] = spec.beta
    if results["kernel"][index]:
        params["kernel"] = str(results["kernel"][index])
    if results["class_mass"][index]:
        params["class_mass"] = True
    return params


class STKRClassifierCV(_Selects, ClassifierMixin, SpectralClassifier):
    """Classifier that chooses transform, ridge and kernel by cross-validation.

    Parameters
    ----------
    kernel : str, callable, or list of str, default="rbf"
        As in :class:`stkr.STKRClassifier`; or a list of point kernels to choose from.
    length_scales : list, default=None
        Numbers, strings such as ``"0.5x"`` (times the default) or ``"median"``.
    n_neighbors : int or list of int, default=10
        For ``knn``.
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
    cv : int, "loo" or pair of arrays, default=5
        Number of folds of the labeled samples; ``"loo"``: leave-one-out, in closed form; or the
        indices of the training and of the validation samples.
    scoring : str, default=None
        ``accuracy`` (the default), ``balanced_accuracy`` or ``macro_f1``.
    class_mass : bool or "both", default=False
        ``"both"`` chooses by score.
    n_components : int, default=None
        Number of dimensions of the spectral embedding that :meth:`transform` returns.
    prior, memory, random_state, n_jobs
        As in :class:`stkr.STKRClassifier`.

    Attributes
    ----------
    best_params_ : dict
        The chosen point, with ``ridge``, or ``beta`` if ``betas`` were given.
    best_score_ : float
        The best of all scores, which is optimistic, as it was chosen among many.
    expected_score_ : float or None
        Estimated score of the chosen point on new samples: the best point on a bootstrap sample
        of the validated samples, scored on the others, on average (Tsamardinos et al. 2018). None
        for one point, or fewer than four samples.
    best_index_ : int
        Index of the chosen point in ``cv_results_``.
    cv_results_ : dict of ndarray
        ``family``, ``parameter``, ``ridge`` (0 if β was given), ``beta`` (the equivalent β of the
        paper for all labels), ``iterations``, ``class_mass``, ``kernel``, ``mean_test_score``,
        ``loss`` (squared error, for classes that of their shares; breaks ties between scores),
        ``rank_test_score``.
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
    >>> clf.best_params_["family"], len(clf.cv_results_["ridge"])
    ('inverse_laplacian', 96)
    >>> clf.expected_score_ < clf.best_score_
    True
    >>> bool((clf.transduction_ == y).mean() > 0.9)
    True
    """

    def __init__(
        self,
        kernel="rbf",
        *,
        length_scales=None,
        n_neighbors=10,
        kernel_params=None,
        families=None,
        powers=None,
        etas=None,
        times=None,
        dimensions=None,
        ridges=None,
        betas=None,
        cv=5,
        scoring=None,
        class_mass=False,
        prior=None,
        n_components=None,
        memory=None,
        random_state=1,
        n_jobs=None,
    ):
        self._store(locals())

    def fit(self, X, y, labeled=None, features=None):
        """Select the best point and fit it to all labels.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty string for unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features, for ``kernel="graph"``. ``smooth`` and ``share`` of ``kernel_params``
            may be lists, from which the best is chosen.

        Returns
        -------
        self
        """
        spec = self._search_specification()
        set_prior(spec, self.prior)
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        self.classes_, codes = encode_classes(y, labeled, X.shape[0])
        names = class_names(self.classes_)
        class_mass = class_mass_of(self.class_mass)
        best = self._select(X, codes, names, spec, "classes", class_mass, features)
        best.embedding = self._embedding_size()
        self._fit_codes(self._samples(X, best, features), codes, best)
        return self


class STKRRegressorCV(_Selects, RegressorMixin, SpectralRegressor):
    """Regressor that chooses transform, ridge and kernel by cross-validation.

    Parameters
    ----------
    kernel, length_scales, n_neighbors, kernel_params, families, powers, etas, times, dimensions, \
ridges, betas, cv, n_components, memory, random_state, n_jobs
        As in :class:`STKRClassifierCV`.
    scoring : str, default=None
        ``r2`` (the default) or ``mse``, the mean squared error, which is minimized.
    fit_intercept : bool, default=True
        As in :class:`stkr.STKRRegressor`.

    Attributes
    ----------
    best_params_, best_score_, expected_score_, best_index_, cv_results_, n_tied_, left_out_, \
selection_warnings_
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

    def __init__(
        self,
        kernel="rbf",
        *,
        length_scales=None,
        n_neighbors=10,
        kernel_params=None,
        families=None,
        powers=None,
        etas=None,
        times=None,
        dimensions=None,
        ridges=None,
        betas=None,
        cv=5,
        scoring=None,
        fit_intercept=True,
        n_components=None,
        memory=None,
        random_state=1,
        n_jobs=None,
    ):
        self._store(locals())

    def fit(self, X, y, labeled=None, features=None):
        """Select the best point and fit it to all labels.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,)
            Regression targets; NaN for unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features, for ``kernel="graph"``. ``smooth`` and ``share`` of ``kernel_params``
            may be lists, from which the best is chosen.

        Returns
        -------
        self
        """
        spec = self._search_specification()
        spec.intercept = check_flag("fit_intercept", self.fit_intercept)
        X = self._check_X(X)
        features = self._check_features(features, X, spec)
        targets = encode_targets(y, labeled, X.shape[0])
        self._one_dimensional = np.asarray(y).ndim == 1
        names = [f"y{k}" for k in range(targets.shape[1])]
        best = self._select(X, targets, names, spec, "numbers", features=features)
        best.embedding = self._embedding_size()
        self._keep(_core.fit(self._samples(X, best, features), targets, names, best), targets)
        return self
