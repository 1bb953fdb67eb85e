"""Grams: linear operators S = K/N over all samples.

A :class:`Gram` is a ``scipy.sparse.linalg.LinearOperator``, so SciPy's solvers accept it.
Conversely, :func:`operator` makes a gram from any symmetric ``LinearOperator``.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from . import _core
from ._checks import check_flag
from ._specification import new_specification, set_kernel
from ._types import Array, Kernel
from ._samples import check_samples, check_square, check_symmetric, is_operator, known_samples

__all__ = ["Gram", "points", "neighbors", "graph", "precomputed", "operator"]


class Gram(LinearOperator):
    """The linear operator S = K/N. The functions of this module create it.

    Attributes
    ----------
    shape : tuple of int
    description : str
        The kernel, its parameters and its normalization.
    bounds : tuple of float
        An interval that contains the eigenvalues, known without computing them.
    """

    def __init__(self, core: "_core.Gram", kernel: Any = "precomputed", X_fit: Any = None) -> None:
        self._gram = core
        self._kernel_in = kernel  # the form of new samples
        self._X_fit = X_fit  # of a kernel that is a function
        super().__init__(np.dtype(np.float64), (len(core), len(core)))

    @property
    def description(self) -> str:
        return self._gram.description

    @property
    def bounds(self) -> tuple[float, float]:
        return self._gram.bounds

    def _matmat(self, X: Any) -> Any:
        if np.iscomplexobj(X):
            raise TypeError("a Gram is real, but the other factor is complex; pass its .real")
        return self._gram.apply(np.ascontiguousarray(X, dtype=np.float64))

    def _matvec(self, x: Any) -> Any:
        return self._matmat(np.reshape(x, (-1, 1)))[:, 0]

    def _adjoint(self) -> Any:
        return self

    def block(self, rows: Any, columns: Any) -> Array:
        """K(x_i, x_j) for i in ``rows`` and j in ``columns``: K itself, not S.

        Examples
        --------
        >>> import numpy as np
        >>> from stkr import gram
        >>> g = gram.points(np.array([[0.0], [1.0], [2.0]]), "linear")
        >>> g.block([1, 2], [2])
        array([[2.],
               [4.]])
        """
        return self._gram.block(_indices(rows), _indices(columns))

    def largest_eigenvalue(
        self, random_state: Any = 1, n_jobs: int | None = None, device: str | None = None
    ) -> float:
        """Return λ₁. An inverse Laplacian needs η < 1/λ₁."""
        spec = new_specification(random_state, n_jobs, None, device)
        return self._gram.largest_eigenvalue(spec)

    def __repr__(self) -> str:
        return f"<Gram of {self.shape[0]} samples: {self.description}>"


def _indices(values: Any) -> Array:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(
            f"indices: got an array of {array.dtype} with {array.ndim} dimensions; expected a "
            "list of integers"
        )
    if array.size and int(array.max()) >= 2**63:  # as a Python integer: NumPy would round
        raise ValueError(f"indices: {array.max()} is too large; expected sample indices")
    return np.ascontiguousarray(array, dtype=np.int64)


def _make(
    X: Any,
    kernel: Any,
    random_state: Any,
    n_jobs: Any,
    device: Any,
    symmetrize: bool = False,
    **options: Any,
) -> Gram:
    spec = new_specification(random_state, n_jobs, None, device)
    set_kernel(spec, kernel, **options)
    X = check_samples(X, kernel)
    check_square(X, kernel)
    core = _core.Gram(known_samples(X, kernel, symmetrize=symmetrize), spec)
    return Gram(core, kernel, X if callable(kernel) else None)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def points(
    X: Any,
    kernel: Kernel = "rbf",
    *,
    length_scale: float | str | None = None,
    gamma: float | None = None,
    coef0: float | None = None,
    degree: int | None = None,
    normalize: bool = False,
    center: bool = False,
    random_state: Any = 1,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Gram:
    """Create the gram of a point kernel, which every product evaluates without storing N² values.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        An array is not copied if it is C-contiguous float32 or float64.
    kernel : str or callable, default="rbf"
        As in :class:`stkr.STKRClassifier`; a function's values are computed once and stored.
    length_scale : float, "median" or None
    gamma, coef0, degree : number, optional
        Parameters of ``polynomial``.
    normalize : bool, default=False
        K/√(d d'), so that λ₁ = 1. This is the estimators' default for nonnegative kernels.
    center : bool, default=False
    random_state : int, default=1
    n_jobs : int, default=None
    device : str or None, default=None

    Returns
    -------
    Gram

    Examples
    --------
    >>> import numpy as np
    >>> from stkr import gram
    >>> S = gram.points(np.array([[0.0], [1.0]]), length_scale=1.0)
    >>> np.round(S @ np.array([1.0, 0.0]), 3)
    array([0.5  , 0.303])
    """
    params = {"normalize": normalize, "center": center}
    params.update(_given(gamma=gamma, coef0=coef0, degree=degree))
    return _make(
        X, kernel, random_state, n_jobs, device, length_scale=length_scale, kernel_params=params
    )


def neighbors(
    X: Any,
    n_neighbors: int = 10,
    *,
    edge_weight: str = "self_tuning",
    edge_rule: str = "either",
    recall: float = 1.0,
    principal_components: int | None = None,
    length_scale: float | str | None = None,
    random_state: Any = 1,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Gram:
    """Create the gram of the lazy walk on the graph of nearest neighbors.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    n_neighbors : int, default=10
    edge_weight : str, default="self_tuning"
        ``self_tuning``, ``heat`` (with ``length_scale``), ``binary`` or ``cosine``.
    edge_rule : str, default="either"
        ``either`` or ``mutual``.
    recall : float, default=1
        Below 1: approximate search that finds about this share of the neighbors.
    principal_components : int, optional
        Search in so many leading principal components of X instead of all features.
    length_scale : float, optional
    random_state : int, default=1
    n_jobs : int, default=None
    device : str or None, default=None

    Returns
    -------
    Gram
    """
    params = {"edge_weight": edge_weight, "edge_rule": edge_rule, "recall": recall}
    if principal_components is not None:
        params["principal_components"] = principal_components
    return _make(
        X,
        "knn",
        random_state,
        n_jobs,
        device,
        length_scale=length_scale,
        n_neighbors=n_neighbors,
        kernel_params=params,
    )


def neighbours(*args: Any, **kwargs: Any) -> Gram:
    """Deprecated name of :func:`neighbors`."""
    warnings.warn("gram.neighbours is deprecated and will be removed in 0.3; use gram.neighbors",
                  FutureWarning, stacklevel=2)
    return neighbors(*args, **kwargs)


def graph(
    adjacency: Any,
    normalization: str = "lazy_walk",
    *,
    self_loops: bool = False,
    symmetrize: bool = False,
    center: bool = False,
    measure: str | None = None,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Gram:
    """Create the gram of a graph.

    Parameters
    ----------
    adjacency : sparse matrix of shape (n_nodes, n_nodes)
        Symmetric, with weights of 0 or more.
    normalization : str, default="lazy_walk"
        ``lazy_walk``: S = (I + D^-1/2 W D^-1/2)/2; ``symmetric``: S = D^-1/2 W D^-1/2, as in the
        paper; ``probability`` or ``adjacency``.
    self_loops : bool, default=False
        Use W + I instead of W.
    symmetrize : bool, default=False
        Use max(W, Wᵀ) for a directed graph instead of raising an error.
    center : bool, default=False
    measure : "uniform", "degree" or None, default=None
        As in ``kernel_params`` of :class:`stkr.STKRClassifier`. With weights w of mean 1 this is
        the gram of √w K √w.
    n_jobs : int, default=None
    device : str or None, default=None

    Returns
    -------
    Gram
    """
    params = {"normalization": normalization, "self_loops": self_loops, "center": center}
    params["measure"] = measure
    symmetrize = check_flag("symmetrize", symmetrize)
    return _make(adjacency, "graph", 1, n_jobs, device, symmetrize=symmetrize, kernel_params=params)


def precomputed(
    K: Any,
    *,
    normalize: bool = False,
    center: bool = False,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Gram:
    """Create the gram of an explicit kernel matrix, which is not copied.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Symmetric; float32 or float64.
    normalize, center : bool, default=False
    n_jobs : int, default=None
    device : str or None, default=None

    Returns
    -------
    Gram
    """
    if is_operator(K):
        raise TypeError("precomputed: got a LinearOperator; use stkr.gram.operator")
    params = {"normalize": normalize, "center": center}
    return _make(K, "precomputed", 1, n_jobs, device, kernel_params=params)


def operator(K: Any, *, check: bool = True, n_jobs: int | None = None) -> Gram:
    """Create a gram from a symmetric ``LinearOperator``, the kernel K.

    Parameters
    ----------
    K : scipy.sparse.linalg.LinearOperator
        N × N; its ``matmat`` is called with blocks of columns.
    check : bool, default=True
        Check its symmetry with two random vectors.
    n_jobs : int, default=None

    Returns
    -------
    Gram

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse.linalg import LinearOperator
    >>> import stkr
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> g = stkr.gram.operator(LinearOperator((2, 2), matvec=lambda x: A @ x, dtype=float))
    >>> stkr.eigenpairs(g, 1).values
    array([1.5])
    """
    if not is_operator(K):
        raise TypeError(
            f"operator: got {type(K).__name__}; expected a scipy.sparse.linalg.LinearOperator"
        )
    check_square(K, "precomputed")
    if check:
        check_symmetric(K)
    return Gram(_core.Gram(_core.Samples.operator(K, K.shape[0]), new_specification(1, n_jobs, None)))
