"""Semi-supervised classifiers."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin

from ._checks import check_count, check_flag, check_positive
from ._estimator import SpectralClassifier
from ._specification import set_prior, set_ridge
from .transforms import as_transform

__all__ = ["STKRClassifier", "KernelPCAProbe", "LabelPropagation"]


class STKRClassifier(ClassifierMixin, SpectralClassifier):
    """Classification by spectrally transformed kernel regression.

    Learns with K_s = Σ s(λ_i) ψ_i ψ_iᵀ, where λ_i and ψ_i are the eigenvalues and eigenfunctions
    of the kernel over all samples, labeled and unlabeled.

    Parameters
    ----------
    kernel : str or callable, default="auto"
        ``auto``: chosen by leaving labels out, for points among neighbor graphs and, if they are
        few, a complete graph, an RBF and a cosine kernel; a sparse matrix is a graph.
        A point kernel, ``rbf``, ``laplacian``, ``matern12``, ``matern32``, ``matern52``,
        ``linear``, ``polynomial``, ``cosine`` or ``epsilon_neighbor``; ``knn``: the graph of
        nearest neighbors; ``graph``: X is a SciPy sparse adjacency matrix; ``precomputed``: X is
        K itself (or a ``scipy.sparse.linalg.LinearOperator``); or a function of two arrays that
        returns K between their rows.
    length_scale : float, "median" or None, default=None
        For kernels that have one. None: half of the median distance to the 10th neighbor; for
        ``epsilon_neighbor``, the full median.
    n_neighbors : int, default=None
        For ``knn``, which it implies; None: 10.
    kernel_params : dict, default=None
        ``gamma``, ``coef0``, ``degree`` for ``polynomial``; ``edge_weight`` (``self_tuning``,
        ``heat``, ``binary``, ``cosine``), ``edge_rule`` (``either``, ``mutual``) and ``recall``
        (below 1: approximate neighbors) for ``knn``; ``normalization`` (``lazy_walk``,
        ``symmetric``, ``probability``, ``adjacency``), ``self_loops`` and ``symmetrize`` for
        ``graph``, and for the ``features`` of its nodes ``features`` (a point kernel; default:
        ``cosine``), ``smooth`` (how often they are averaged over the graph first; default: 2),
        ``share`` (of their kernel in the sum with the graph's; default: 1, features alone) and
        ``features_length_scale``; ``measure`` for these two: ``uniform``, or ``degree`` to weight samples by their
        degrees, which is the default only for ``probability``; ``normalize`` (divide K by its
        degrees, so that λ₁ = 1) and ``center``.
    transform : str, SpectralTransform or callable, default="auto"
        s: ``auto`` (an average over powers, inverse Laplacians and Poisson transforms, weighted by
        how well they predict labels left out; with ``n_components``, the inverse Laplacian),
        ``inverse_laplacian``, ``poisson`` (the same without the leading eigenvectors, for very
        few labels), ``power``, ``diffusion``, ``truncation``, an object of
        :mod:`stkr.transforms`, or a function of one number with s(0) = 0. The attribute of this
        name is the method; ``get_params()`` returns the parameter.
    eta : float, default=None
        η of the inverse Laplacian, which it implies; None: 0.99/λ₁. Of ``poisson``: at most 1, in units of 1/λ₁;
        None: 1, Poisson learning.
    power : float, default=2
        p of s(λ) = λ^p.
    time : float, default=1
        t of the diffusion.
    n_components : int, default=None
        d of ``truncation``, and the number of dimensions of the spectral embedding that
        :meth:`transform` returns; None: no embedding.
    ridge : float, default=None
        ρ: nβ of the ridge system (G + nβI) α = y in units of the mean diagonal of G, the
        transformed kernel between the n labeled samples, so that a value is comparable across
        kernels and transforms. With more than 32 labels, the mean is over eight of them.
        None: chosen by leaving labels out; 0.1 if that is not possible.
    beta : float, default=None
        The paper's β, instead of ``ridge``.
    solver : str, default="auto"
        ``auto``, ``direct``, ``cg``, ``minres``, ``richardson`` (as in the paper) or
        ``diagonalize``.
    tol : float, default=1e-8
        Tolerance on the relative residual.
    max_iter : int, default=1000
    class_mass : bool, default=False
        Scale scores so that the class frequencies match ``prior``.
    prior : "uniform", array or None, default=None
        Share of each class; None: its share among the labeled samples. Predictions have the shares
        that are given: on graphs by a volume-constrained decision, otherwise by class mass.
    memory : int, str or None, default=None
        Memory budget of the process in bytes, or a string such as "4GB".
    random_state : int, default=1
    n_jobs : int, default=None
        Number of threads; None: OMP_NUM_THREADS, or all available cores. The result does not
        depend on it.

    Attributes
    ----------
    classes_ : ndarray
    transduction_ : ndarray of shape (n_samples,)
        The predicted class of every fitted sample.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
    evidence_ : ndarray of bool of shape (n_samples,)
        False if no label reaches the sample: it gets the prior.
    tied_ : ndarray of bool of shape (n_samples,)
        True if several classes then have the largest prior, and no distance breaks the tie.
    dual_coef_ : ndarray of shape (n_samples, n_classes)
        c in f(x) = Σ_i K(x, x_i) c_i for new samples x; for weighted samples, K is √w K √w.
    n_iter_ : int
    n_features_in_ : int
    summary_ : Summary
        Choices, solver result and warnings: ``print(clf.summary_)``.
    eigenvalues_ : ndarray of shape (n_components,)
        Of S = K/N, if ``n_components`` is set.

    Notes
    -----
    C-contiguous float32 and float64 points are used without a copy and kept for prediction: do
    not modify them afterwards. Only ``knn`` copies them into its index.

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
        class_mass=False,
        prior=None,
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
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty string for unlabeled samples.
        labeled : array of bool or of int, optional
            Labeled samples, as a mask or indices. Then -1 is a class like any other, and y of
            the other samples is ignored.
        sample_weight : array of shape (n_samples,), optional
            Weight of each sample, both in the distribution of all samples and among the labels,
            such as importance weights under covariate shift. Samples of weight 0 are left out of
            the fit and predicted like new samples.
        features : array or sparse matrix of shape (n_samples, n_features), optional
            Node features, for ``kernel="graph"``. Their kernel is set by ``kernel_params``. New
            nodes are then pairs (edges, features).

        Returns
        -------
        self
        """
        spec = self._specification()
        self._set_stkr(spec)
        spec.class_mass = check_flag("class_mass", self.class_mass)
        set_prior(spec, self.prior)
        spec.by_volume = len(spec.prior) > 0
        return self._fit_classes(X, y, labeled, spec, sample_weight, features)

    def _embedding_scale(self):
        return embedding_scale(self)


def embedding_scale(estimator) -> np.ndarray:
    """Return √s(λ) for an estimator with the parameters of s."""
    values = estimator.eigenvalues_
    s = as_transform(
        estimator._transform_parameter(),
        eta=estimator.eta if estimator.eta is not None else 0.99 / values[0],
        power=estimator.power,
        time=estimator.time,
        n_components=estimator.n_components,
    )
    return np.sqrt(np.maximum(s(values), 0.0))


class KernelPCAProbe(ClassifierMixin, SpectralClassifier):
    """Kernel PCA on the unlabeled samples, then ridge regression on its features.

    The paper's truncation: uses only the d leading eigenfunctions. If every sample is labeled,
    kernel PCA is computed on all samples.

    Parameters
    ----------
    kernel, length_scale, n_neighbors, kernel_params
        As in :class:`STKRClassifier`.
    n_components : int, default=None
        d; None: three per class, at most half the labels, an eighth of the unlabeled samples,
        and 128. Equal eigenvalues are all taken, with a warning; on graphs, only components that
        a label reaches are used.
    ridge, beta : float, default=None
        Of the linear probe, as in :class:`STKRClassifier`.
    tol, max_iter, class_mass, prior, memory, random_state, n_jobs
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

    def fit(self, X, y, labeled=None, sample_weight=None, features=None):
        """Fit to labeled and unlabeled samples, as :meth:`STKRClassifier.fit` does.

        Parameters
        ----------
        X : array of shape (n_samples, n_features), or sparse matrix
            All samples.
        y : array of shape (n_samples,)
            Classes; -1, NaN, None or an empty string for unlabeled samples.
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
        return self._fit_classes(X, y, labeled, spec, sample_weight, features)

    def _finish_specification(self, spec, codes):
        spec.pca_of_all = bool((codes >= 0).all())

    def _embedding_scale(self):
        return np.sqrt(self.eigenvalues_)


class LabelPropagation(ClassifierMixin, SpectralClassifier):
    """Label propagation of Zhou et al. (2003), the paper's transductive baseline.

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
    tol, max_iter, class_mass, prior, memory, random_state, n_jobs
        As in :class:`STKRClassifier`.

    Attributes
    ----------
    classes_, transduction_, label_distributions_, dual_coef_, n_iter_, n_features_in_, summary_
        As in :class:`STKRClassifier`.

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

    def fit(self, X, y, labeled=None, features=None):
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
