"""Reproduction of the paper's tables and figures, compared with its numbers."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._checks import check_choice, is_whole, numbers_of
from ._specification import new_specification
from .exceptions import DataError

__all__ = ["Reproduction", "reproduce"]

_EXHIBITS = {
    "accuracy": "table accuracy",
    "p_test": "table p-test",
    "power": "figure p",
    "eta": "figure eta",
}


@dataclass(frozen=True)
class Reproduction:
    """Result of :func:`reproduce`.

    Attributes
    ----------
    rows : list of dict
        One per number of the table or figure: ``dataset``, ``setting``, ``method``, ``p_test``,
        ``parameter``, ``mean`` and ``std`` of the accuracy in percent over ``seeds`` splits, the
        ``accuracies`` of each split, ``paper_mean``, ``paper_std``, the ``difference`` of the
        means, ours minus the paper's, and its 95% ``interval`` (Welch's). ``std`` is the sample
        standard deviation, with divisor ``seeds - 1``. Comparisons are None if the paper has no
        number; ``std`` and ``interval`` are also None for one seed.
    """

    rows: list[dict[str, Any]]

    def __str__(self) -> str:
        lines = [("data", "setting", "method", "parameter", "accuracy", "paper", "difference")]
        for row in self.rows:
            paper = "" if row["paper_mean"] is None else _figure(row["paper_mean"], row["paper_std"])
            parameter = "" if row["parameter"] is None else f"{row['parameter']:g}"
            lines.append(
                (
                    row["dataset"],
                    row["setting"],
                    row["method"],
                    parameter,
                    _figure(row["mean"], row["std"]),
                    paper,
                    _difference(row),
                )
            )
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        return "\n".join(
            "  ".join(f"{text:{width}}" for text, width in zip(line, widths)).rstrip()
            for line in lines
        )


def _figure(mean: Any, std: Any) -> str:
    return f"{mean:.1f}" if std is None else f"{mean:.1f} ± {std:.1f}"


def _difference(row: Any) -> str:
    if row["difference"] is None:
        return ""
    text = f"{row['difference']:+.1f}"
    return text if row["interval"] is None else text + " [{:.1f}, {:.1f}]".format(*row["interval"])


def reproduce(
    data: Any,
    datasets: Any = None,
    *,
    exhibit: Any = "accuracy",
    methods: Any = None,
    seeds: Any = 10,
    solver: str = "exact",
    no_evidence: Any = "first_class",
    checkpoint: Any = None,
    n_jobs: int | None = None,
    device: str | None = None,
) -> Reproduction:
    """Reproduce a table or figure of the paper on its graphs.

    Parameters
    ----------
    data : str or path-like
        Folder with ``cora.npz``, ``photo.npz`` and so on, in the gnn-benchmark layout.
    datasets : list of str, default=None
        Names; None: all of the paper's nine that are in the folder.
    exhibit : str, default="accuracy"
        ``accuracy`` or ``p_test`` for the tables; ``power`` or ``eta`` for the figures.
    methods : list of str, default=None
        Rows of a table: some of ``LP``, ``SP-Lap``, ``SP-poly``, ``SP-topd``, ``KRR``, and
        ``SP-topd-reached``, kernel PCA with d counted in the part of the graph that labels reach.
    seeds : int or list of int, default=10
        Number of random splits, or their seeds.
    solver : str, default="exact"
        ``exact``, or ``richardson`` with early stopping, as in the paper.
    no_evidence : str, default="first_class"
        Prediction for samples without evidence: ``first_class`` as in the paper's tables, or
        ``prior``.
    checkpoint : str or path-like, default=None
        File for finished experiments, shared with ``stkr reproduce --checkpoint``: an interrupted
        run resumes from it.
    n_jobs : int, default=None
    device : str or None, default=None

    Returns
    -------
    Reproduction
        ``print`` shows it as a table.

    Raises
    ------
    DataError
        If nothing could be run. If only some graphs or splits fail, a warning has the reason.
    """
    check_choice("exhibit", exhibit, _EXHIBITS)
    check_choice("solver", solver, ("exact", "richardson"))
    check_choice("no_evidence", no_evidence, ("first_class", "prior"))
    folder = os.fspath(data)
    known = list(_core.paper_datasets())
    names = _present(folder) if datasets is None else _chosen("datasets", datasets, known)
    if methods is not None:
        methods = _chosen("methods", methods, _core.paper_methods(_EXHIBITS[exhibit]))
    rows, notes, failures = _core.reproduce(
        folder,
        names,
        _EXHIBITS[exhibit],
        methods or [],
        _splits(seeds),
        solver == "richardson",
        no_evidence == "prior",
        None if checkpoint is None else os.fspath(checkpoint),
        new_specification(1, n_jobs, None, device),
    )
    if failures and not rows:
        raise DataError("; ".join(failures))
    for text in notes + failures:
        warnings.warn(text, stacklevel=2)
    return Reproduction(rows)


def _chosen(name: Any, values: Any, known: Any) -> list[str]:
    """Return one name or several as a list."""
    listed = [values] if isinstance(values, str) or not np.iterable(values) else list(values)
    if not listed:
        raise ValueError(f"{name} is empty: nothing to run; expected some of {', '.join(known)}")
    return [check_choice(name, value, known) for value in listed]


def _splits(seeds: Any) -> list[int]:
    listed = list(range(seeds)) if is_whole(seeds) else numbers_of("seeds", seeds, int)
    if not listed or min(listed) < 0 or max(listed) >= 2**64:
        raise ValueError(
            f"seeds={seeds!r}; expected the number of splits, at least 1, or a list of seeds >= 0"
        )
    return listed


def _present(folder: Any) -> list[str]:
    names = [
        name
        for name in _core.paper_datasets()
        if os.path.exists(os.path.join(folder, f"{name}.npz"))
    ]
    if not names:
        raise FileNotFoundError(
            f"{folder}: contains none of the paper's graphs; expected files such as cora.npz"
        )
    return names
