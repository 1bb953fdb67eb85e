"""Semi-supervised classification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ._certainty import ClassCertainty
from ._checks import check_flag
from ._estimator import SpectralClassifier
from ._renamed import renamed_parameter
from ._scoring import PartlyLabeledClassifier
from ._specification import set_prior
from ._transform_parameter import Transform
from ._transformed import TransformParameters
from ._types import Kernel, Labels, Numbers, Samples

if TYPE_CHECKING:
    from typing import Self

__all__ = ["STKRClassifier"]


class STKRClassifier(
    ClassCertainty, PartlyLabeledClassifier, SpectralClassifier, TransformParameters
):
    """Classification by spectrally transformed kernel regression.

    Learns with K_s = Σ s(λ_i) ψ_i ψ_iᵀ, where λ_i and ψ_i are the eigenvalues and eigenfunctions
    of the kernel over all samples, labeled and unlabeled.

    Parameters
    ----------
    kernel : str or callable, default="auto"
        ``auto``: chosen by leaving labels out, for points among neighbor graphs and, if they are
        few, a complete graph, an RBF and a cosine kernel; a square sparse matrix is a graph.
        A point kernel, ``rbf``, ``laplacian``, ``matern12``, ``matern32``, ``matern52``,
        ``linear``, ``polynomial``, ``cosine`` or ``epsilon_neighbor``; ``knn``: the graph of
        nearest neighbors; ``graph``: X is a SciPy sparse adjacency matrix; ``precomputed``: X is
        K itself (or a ``scipy.sparse.linalg.LinearOperator``); or a function of two arrays that
        returns K between their rows.
    length_scale : float, "median", a text such as "2x" or None, default=None
        For kernels that have one. None: half of the median distance to the 10th neighbor; for
        ``epsilon_neighbor``, the full median. ``"2x"``: twice that.
    n_neighbors : int, default=None
        For ``knn``, which it implies; None: 10.
    kernel_params : dict, default=None
        ``gamma`` for ``rbf`` (as in scikit-learn, 1/(2ℓ²)) and ``laplacian`` (1/ℓ), instead of
        ``length_scale``; ``gamma``, ``coef0``, ``degree`` for ``polynomial``; ``edge_weight``
        (``self_tuning``, ``heat``, ``binary``, ``cosine``), ``edge_rule`` (``either``, ``mutual``),
        ``recall`` (below 1: approximate neighbors) and ``principal_components`` (search in so many
        of them) for ``knn``; ``normalization`` (``lazy_walk``,
        ``symmetric``, ``probability``, ``adjacency``), ``self_loops`` and ``symmetrize`` for
        ``graph``, and for the ``features`` of its nodes ``features`` (a point kernel; default:
        ``cosine``), ``smooth`` (how often they are averaged over the graph first; default: 2),
        ``share`` (of their kernel in the sum with the graph's; default: 1, features alone) and
        ``features_length_scale``;
        ``add``, ``share`` (default: 0.5) and ``add_length_scale`` for the sum of a point kernel with
        another one, each divided by its λ₁; ``measure`` for ``knn`` and ``graph``: ``uniform``, or
        ``degree`` to weight samples by their degrees, which is the default only for
        ``probability``; ``normalize`` (divide K by its degrees, so that λ₁ = 1) and ``center``.
    spectral_transform : str, SpectralTransform or callable, default="auto"
        s: ``auto`` (an average over powers, inverse Laplacians and Poisson transforms, weighted by
        how well they predict labels left out; with ``n_components``, the inverse Laplacian),
        ``inverse_laplacian``, ``poisson`` (the same without the leading eigenvectors, for very
        few labels), ``power``, ``diffusion``, ``truncation``, an object of
        :mod:`stkr.transforms`, or a function of one number with s(0) = 0. Parameters of another
        transform are an error.
    eta : float, default=None
        η of the inverse Laplacian, which it implies; None: 0.99/λ₁. Of ``poisson``: at most 1, in
        units of 1/λ₁; None: 1, Poisson learning.
    power : float, default=None
        p of s(λ) = λ^p, which it implies; None: 2.
    time : float, default=None
        t of the diffusion, which it implies; None: 1.
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
    leave_one_out : bool, default=False
        Leave every label out even if the fit does not do so on its way, for calibrated
        probabilities and :meth:`predict_set`; up to 2,000 labels, without sample weights.
    memory : int, str or None, default=None
        Memory budget of the process in bytes, or a string such as "4GB".
    random_state : int, default=1
    n_jobs : int, default=None
        Number of threads; None: OMP_NUM_THREADS, or all available cores. The result does not
        depend on it.
    device : str or None, default=None
        What runs the products: "cpu", or "cuda" if the build has it; None: the CPU.
    verbose : bool, default=False
        Show the progress of long fits, with tqdm if it is installed.

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
    kernel_, length_scale_, n_neighbors_, eta_, lambda_1_, ridge_, beta_
        What was chosen or given, as far as the fit has it: an average over transforms has no η and
        no ridge, and λ₁ is computed only if it is needed.

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
        class_mass: bool = False,
        prior: str | Numbers | None = None,
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
