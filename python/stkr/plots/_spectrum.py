"""Plot of eigenvalues and their transform."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from ._style import BLUE, RED, axes_of, finite_array, plain

ROUND_OFF = 1e-12  # of the largest eigenvalue: how far rounding takes zeros below 0
SQUASHED = 100     # values this many times below the largest need a logarithmic axis


def spectrum(eigenvalues: Any, transform: Any = None, ax: Any = None) -> Any:
    """Draw eigenvalues by rank, and their transform s(λ).

    The axis is logarithmic if positive eigenvalues span two decades; if most are near 0 but some
    are negative, it is linear around 0 and logarithmic beyond.

    Parameters
    ----------
    eigenvalues : array of shape (k,)
        Eigenvalues of S in any order, such as ``stkr.eigenpairs(gram, k).values``.
    transform : callable, optional
        A spectral transform s of an array, such as ``stkr.transforms.power(2)``. s(λ) is scaled
        to s(λ₁) = λ₁: the ridge absorbs a factor, so only the shape matters. Truncations keep the
        largest of the given eigenvalues.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> import stkr
    >>> values = 1.0 / np.arange(1, 51) ** 2
    >>> ax = stkr.plots.spectrum(values, stkr.transforms.inverse_laplacian(0.99))
    >>> ax.get_yscale()
    'log'
    """
    values = np.sort(finite_array(eigenvalues, "eigenvalues", 1))[::-1]
    transformed = None if transform is None else _scaled(transform, values)
    ax = axes_of(ax, (5.0, 3.4))
    hidden, below = _set_scale(ax, values, transformed)
    rank = np.arange(1, len(values) + 1)
    small = len(values) > 60
    names = ["λ" + _remark(hidden, len(values), "≤ 0, not shown")]
    ax.plot(rank, values, "o", color=BLUE, markersize=3 if small else 5, label=names[0])
    if transformed is not None:
        names.append(textwrap.fill(f"s(λ) of {_name(transform)}, scaled to s(λ₁) = λ₁"
                                   + _remark(below, len(values), "below the axis"), 66))
        ax.plot(rank, transformed, "-" if small else "-s", color=RED, linewidth=1.5, markersize=3,
                label=names[1])
    if names != ["λ"]:
        # Above the axes, since a spectrum may be anywhere in them.
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, fontsize="small")
    plain(ax, grid="y")
    ax.set_xlabel("rank of the eigenvalue")
    ax.set_ylabel("eigenvalue λ of S")
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def _remark(count: Any, of: Any, what: Any) -> str:
    return f" ({count} of {of} {what})" if count else ""


def _name(transform: Any) -> Any:
    describe = getattr(transform, "describe", None)
    return describe() if describe else getattr(transform, "__name__", repr(transform))


def _scaled(transform: Any, values: Any) -> Any:
    if not callable(transform):
        raise TypeError(f"transform is of type {type(transform).__name__}; expected a function of "
                        "an array, such as stkr.transforms.power(2)")
    result = np.asarray(transform(values), dtype=float)
    if result.shape != values.shape:
        raise ValueError(f"transform returned shape {result.shape} for {len(values)} eigenvalues; "
                         "expected one value per eigenvalue")
    bad = np.flatnonzero(~np.isfinite(result))
    if len(bad):
        raise ValueError(f"transform returned s({values[bad[0]]:.6g}) = {result[bad[0]]}; expected "
                         "finite values on the whole spectrum")
    if getattr(transform, "kind", None) == "truncation":
        # It depends on rank, which a function of λ does not know.
        result = np.where(np.arange(len(values)) < transform.parameters[0], result, 0.0)
    if not (values[0] > 0 and result[0] > 0):
        raise ValueError(f"s({values[0]:.6g}) = {result[0]:.6g} at the largest eigenvalue; "
                         "expected both to be positive, to draw s on the scale of λ")
    return result * (values[0] / result[0])


def _set_scale(ax: Any, values: Any, transformed: Any) -> Any:
    """Set the vertical scale; return how many λ and how many s(λ) it does not show."""
    size = np.abs(values)
    largest = size.max()
    if values[-1] < -ROUND_OFF * largest:
        if np.median(size) * SQUASHED < largest:
            # Linear up to the lower quartile, rounded to a tick, within eight decades.
            quarter = max(np.quantile(size, 0.25), 1e-8 * largest)
            ax.set_yscale("symlog", linthresh=10.0 ** np.ceil(np.log10(quarter)))
        return 0, 0
    drawn = values if transformed is None else np.concatenate([values, transformed])
    drawn = drawn[drawn > 0]
    if not len(drawn) or largest < SQUASHED * drawn.min():
        return 0, 0
    ax.set_yscale("log", nonpositive="mask")
    smallest = values[values > 0].min()
    # s may span many more decades than λ: show three more.
    bottom = drawn[drawn >= 1e-3 * smallest].min()
    ax.set_ylim(bottom / 2, 2 * drawn.max())
    below = 0 if transformed is None else np.count_nonzero(transformed < bottom)
    return np.count_nonzero(values <= 0), below
