"""Classifiers that learn from few labels and many unlabeled samples."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin

from ._checks import check_count, check_flag, check_positive
from ._estimator import SpectralClassifier
from ._recipe import set_prior, set_ridge
from .transforms import as_transform

__all__ = ["STKRClassifier", "KernelPCAProbe", "LabelPropagation"]


class STKRClassifier(ClassifierMixin, SpectralClassifier):
    """Spectrally transformed kernel regression for classes.

    Learns with K_s = Σ s(λ_i) ψ_i ψ_iᵀ, where λ_i and ψ_i are the eigenvalues and eigenfunctions
    of the kernel over all samples, labeled or not.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        ``rbf``, ``laplacian``, ``matern12``, ``matern32``, ``matern52``, ``linear``,
        ``polynomial``, ``cosine`` or ``epsilon_neighbor`` of points; ``knn``, the graph of their
        nearest neighbors; ``graph``, X being a SciPy sparse adjacency matrix; ``precomputed``, X
        being K itself (or a ``scipy.sparse.linalg.LinearOperator``); or a function of two arrays
        that returns K between their rows.
    length_scale : float, "median" or None, default=None
        Of the kernels that have one; None: half of the median distance to the 10th neighbor, for
        ``epsilon_neighbor`` all of it.
    n_neighbors : int, default=10
        For ``knn``.
    kernel_params : dict, default=None
        ``gamma``, ``coef0``, ``degree`` for ``polynomial``; ``edge_weight`` (``self_tuning``,
        ``heat``, ``binary``, ``cosine``), ``edge_rule`` (``either``, ``mutual``) and ``recall``
        (below 1: approximate neighbors) for ``knn``; ``normalization`` (``lazy_walk``,
        ``symmetric``, ``probability``, ``adjacency``), ``self_loops`` and ``symmetrize`` for
        ``graph``; ``measure`` for these two: ``uniform``, or ``degree`` to weight samples by their
        degrees, which is the default of ``probability`` alone; ``normalize`` (divide K by its
        degrees, so that λ₁ = 1) and ``center``.
    transform : str, SpectralTransform or callable, default="inverse_laplacian"
        s: ``inverse_laplacian``, ``power``, ``diffusion``, ``truncation``, an object of
        :mod:`stkr.transforms`, or a function of one number with s(0) = 0. The attribute of this
        name is the method; read the parameter with ``get_params()``.
    eta : float, default=None
        η of the inverse Laplacian; None: 0.99/λ₁.
    power : float, default=2
        p of s(λ) = λ^p.
    time : float, default=1
        t of the diffusion.
    n_components : int, default=None
        d of ``truncation``, and the dimensions of the spectral embedding that :meth:`transform`
        gives; None: no embedding.
    ridge : float, default=None
        ρ: nβ of the ridge system (G + nβI) α = y in units of the mean diagonal of G, the
        transformed kernel among the n labeled samples, so that it means the same for every kernel
        and transform. Eight labels stand for all. None: 0.1.
    beta : float, default=None
        β of the paper, instead of ``ridge``.
    solver : str, default="auto"
        ``auto``, ``direct``, ``cg``, ``minres``, ``richardson`` (as in the paper) or
        ``diagonalize``.
    tol : float, default=1e-8
        On the relative residual.
    max_iter : int, default=1000
    class_mass : bool, default=False
        Scale scores so that classes come out as often as ``prior`` says.
    prior : "uniform", array or None, default=None
        Share of each class; None: among the labeled samples.
    memory : int, str or None, default=None
        Bytes that the process may take, or a text such as "4GB".
    random_state : int, default=1
    n_jobs : int, default=None
        Threads; None: OMP_NUM_THREADS, else all cores it may use. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
    transduction_ : ndarray of shape (n_samples,)
        The class given to every sample of the fit.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
    evidence_ : ndarray of bool of shape (n_samples,)
        False where no label reaches a sample: it has the prior.
    tied_ : ndarray of bool of shape (n_samples,)
        True where that leaves several classes, and no distance decides between them.
    dual_coef_ : ndarray of shape (n_samples, n_classes)
        c of f(x) = Σ_i K(x, x_i) c_i for new samples x; of weighted samples, K is √w K √w.
    n_iter_ : int
    n_features_in_ : int
    summary_ : Summary
        What was chosen and how it went: ``print(clf.summary_)``.
    eigenvalues_ : ndarray of shape (n_components,)
        Of S = K/N, with ``n_components``.

    Notes
    -----
    C-contiguous float32 and float64 points are used where they are, not copied, and kept for
    prediction: do not change them in place afterwards. ``knn`` alone has an index of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import STKRClassifier
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> y = np.array([0, -1, -1, 1, -1, -1])
    >>> clf = STKRClassifier(length_scale=0.5).fit(X, y)
    >>> clf.transduction_
    array([0, 0, 0, 1, 1, 1])
    >>> clf.predict([[0.3], [4.0]])
    array([0, 1])
    """

    def __init__(
        self,
        kernel="rbf",
        *,
        length_scale=None,
        n_neighbors=10,
        kernel_params=None,
        transform="inverse_laplacian",
        eta=None,
        power=2.0,
        time=1.0,
        n_components=None,
        ridge=None,
        beta=None,
        solver="auto",
        tol=1e-8,
        max_iter=1000,
        class_mass=False,
        prior=None,
        memory=None,
        random_state=1,
        n_jobs=None,
    ):
        self._store(locals())

    def fit(self, X, y, labeled=None, sample_weight=None):
        """Learn from labeled and unlabeled samples.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples; for ``kernel="graph"`` the adjacency matrix, for ``"precomputed"`` K.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty text for unlabeled samples.
        labeled : array of bool or of int, optional
            Which samples are labeled, as a mask or indices. Then -1 is a class like any other,
            and y elsewhere is not looked at.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts, both in the distribution that all samples stand for and
            among the labels: importance weights under covariate shift, say. Samples of weight 0
            are left out; their answers are those of new samples.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        self._set_stkr(recipe)
        recipe.class_mass = check_flag("class_mass", self.class_mass)
        set_prior(recipe, self.prior)
        return self._fit_classes(X, y, labeled, recipe, sample_weight)

    def _embedding_scale(self):
        return embedding_scale(self)


def embedding_scale(estimator) -> np.ndarray:
    """√s(λ) of an estimator with the parameters of s."""
    values = estimator.eigenvalues_
    s = as_transform(
        estimator.__dict__["transform"],
        eta=estimator.eta if estimator.eta is not None else 0.99 / values[0],
        power=estimator.power,
        time=estimator.time,
        n_components=estimator.n_components,
    )
    return np.sqrt(np.maximum(s(values), 0.0))


class KernelPCAProbe(ClassifierMixin, SpectralClassifier):
    """Kernel PCA on the unlabeled samples, then ridge regression on its features.

    The truncation of the paper: only the d leading eigenfunctions count. Where every sample is
    labeled, kernel PCA is of all of them.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params
        As of :class:`STKRClassifier`.
    n_components : int, default=None
        d; None: three a class, at most half the labels, an eighth of the unlabeled samples, and
        128. Of equal eigenvalues all are
        taken, with a warning, and of graphs only components that a label reaches.
    ridge, beta : float, default=None
        Of the linear probe, as of :class:`STKRClassifier`.
    tol, max_iter, class_mass, prior, memory, random_state, n_jobs
        As of :class:`STKRClassifier`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the kernel on the unlabeled samples.
    classes_, transduction_, label_distributions_, dual_coef_, n_iter_, n_features_in_, summary_
        As of :class:`STKRClassifier`.

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
        kernel="rbf",
        *,
        length_scale=None,
        n_neighbors=10,
        kernel_params=None,
        n_components=None,
        ridge=None,
        beta=None,
        tol=1e-8,
        max_iter=1000,
        class_mass=False,
        prior=None,
        memory=None,
        random_state=1,
        n_jobs=None,
    ):
        self._store(locals())

    def fit(self, X, y, labeled=None, sample_weight=None):
        """Learn from labeled and unlabeled samples, as :meth:`STKRClassifier.fit` does.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty text for unlabeled samples.
        labeled : array of bool or of int, optional
            Which samples are labeled, as a mask or indices.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        recipe.method = "kernel-pca"
        recipe.embedding = 1  # the features themselves, however many
        if self.n_components is not None:
            recipe.dimension = check_count("n_components", self.n_components)
        set_ridge(recipe, self.ridge, self.beta)
        recipe.class_mass = check_flag("class_mass", self.class_mass)
        set_prior(recipe, self.prior)
        return self._fit_classes(X, y, labeled, recipe, sample_weight)

    def _finish_recipe(self, recipe, codes):
        recipe.pca_of_all = bool((codes >= 0).all())

    def _embedding_scale(self):
        return np.sqrt(self.eigenvalues_)


class LabelPropagation(ClassifierMixin, SpectralClassifier):
    """Label propagation of Zhou et al. (2003), the paper's transductive baseline.

    Solves (I - ηS) Ŷ = Ỹ, or takes a few steps Ŷ ← ηSŶ + Ỹ. A new sample gets what an unlabeled
    one with its edges has.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params
        As of :class:`STKRClassifier`.
    eta : float, default=None
        η; None: 0.8/λ₁.
    n_steps : int, default=None
        Steps of the propagation; None: to convergence.
    n_components : int, default=None
        Dimensions of the spectral embedding that :meth:`transform` gives.
    tol, max_iter, class_mass, prior, memory, random_state, n_jobs
        As of :class:`STKRClassifier`.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, dual_coef_, n_iter_, n_features_in_, summary_
        As of :class:`STKRClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from stkr import LabelPropagation
    >>> path = csr_matrix(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1))
    >>> LabelPropagation("graph").fit(path, ["a", "", "", "", "b"]).transduction_[[1, 3]]
    array(['a', 'b'], dtype='<U1')
    """

    def __init__(
        self,
        kernel="rbf",
        *,
        length_scale=None,
        n_neighbors=10,
        kernel_params=None,
        eta=None,
        n_steps=None,
        n_components=None,
        tol=1e-8,
        max_iter=1000,
        class_mass=False,
        prior=None,
        memory=None,
        random_state=1,
        n_jobs=None,
    ):
        self._store(locals())

    def fit(self, X, y, labeled=None):
        """Learn from labeled and unlabeled samples, as :meth:`STKRClassifier.fit` does.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty text for unlabeled samples.
        labeled : array of bool or of int, optional
            Which samples are labeled, as a mask or indices.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        recipe.method = "label-propagation"
        if self.eta is not None:
            recipe.eta = check_positive("eta", self.eta)
        if self.n_steps is not None:
            recipe.iterations = check_count("n_steps", self.n_steps)
        recipe.class_mass = check_flag("class_mass", self.class_mass)
        set_prior(recipe, self.prior)
        return self._fit_classes(X, y, labeled, recipe)
