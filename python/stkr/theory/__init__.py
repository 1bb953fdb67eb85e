"""The paper's analysis as numbers: spectra, norms, distances, bounds and their assumptions.

Functions take a :class:`stkr.gram.Gram`, or a fitted estimator that keeps its system
(:class:`stkr.STKRClassifier` and its relatives, in the process of the fit). Functions f are given
by their values at the N samples, and norms are those of the samples: ‖f‖²_P = Σ f(x_i)²/N.

Examples
--------
>>> import numpy as np
>>> import stkr
>>> from stkr import theory
>>> X = np.linspace(0, 1, 50)[:, np.newaxis]
>>> S = stkr.gram.points(X, length_scale=0.3, center=True)
>>> round(theory.kernel_bound(S).kappa_squared, 3)
0.808
>>> f = S @ (S @ X[:, 0])  # in H_K and H_{K²}, but almost nothing is in spaces of higher powers
>>> [round(one.ratio, 4) for one in theory.smoothness(S, f, scales=[1, 2])]
[0.2922, 0.0854]
>>> bound = theory.approximation_bound(2, n=10, m=40, kappa_squared=0.81, eigenvalue=0.24, beta=0.1)
>>> bound.vacuous
True
>>> print(bound.verdict)
Theorem 3 is vacuous here: its bound ... on ‖f̂ - f̃‖²_P is not below 1, the mean square of y.
"""

from ._bounds import (
    Assumption,
    Bound,
    Facts,
    agnostic_laplacian_bound,
    approximation_bound,
    estimation_bound,
    inner_product_gap_bound,
    kernel_gap_bound,
    largest_eigenvalue_bound,
    needed_unlabeled,
    power_series,
    theory_beta,
)
from ._fits import CrossFit, TargetEstimate, TargetEstimates, cross_fit, target_estimates
from ._kernels import TransformedKernel, diffusion_distances, transformed_kernel
from ._norms import (
    Discriminant,
    RkhsNorm,
    Smoothness,
    discriminant,
    poincare_constants,
    rkhs_inner_product,
    rkhs_norm,
    smoothness,
)
from ._spectra import (
    Definiteness,
    EigenvalueDecay,
    Estimate,
    KernelBound,
    SpectralDensity,
    definiteness,
    effective_dimension,
    eigenvalue_decay,
    kernel_bound,
    spectral_density,
)
from ._top_d_bounds import (
    TopDApproximation,
    fischer_steinwart_bound,
    top_d_approximation_bounds,
    top_d_estimation_bound,
    top_d_lower_bound,
    top_d_needed_labels,
)

__all__ = [
    "Assumption",
    "Bound",
    "CrossFit",
    "Definiteness",
    "Discriminant",
    "EigenvalueDecay",
    "Estimate",
    "Facts",
    "KernelBound",
    "RkhsNorm",
    "Smoothness",
    "SpectralDensity",
    "TargetEstimate",
    "TargetEstimates",
    "TopDApproximation",
    "TransformedKernel",
    "agnostic_laplacian_bound",
    "approximation_bound",
    "cross_fit",
    "definiteness",
    "diffusion_distances",
    "discriminant",
    "effective_dimension",
    "eigenvalue_decay",
    "estimation_bound",
    "fischer_steinwart_bound",
    "inner_product_gap_bound",
    "kernel_bound",
    "kernel_gap_bound",
    "largest_eigenvalue_bound",
    "needed_unlabeled",
    "poincare_constants",
    "power_series",
    "rkhs_inner_product",
    "rkhs_norm",
    "smoothness",
    "spectral_density",
    "target_estimates",
    "theory_beta",
    "top_d_approximation_bounds",
    "top_d_estimation_bound",
    "top_d_lower_bound",
    "top_d_needed_labels",
    "transformed_kernel",
]
