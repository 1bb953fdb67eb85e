"""The paper's tables and figures run again, beside its numbers."""

from __future__ import annotations

import os
from dataclasses import dataclass

from . import _core
from ._recipe import threads_of

__all__ = ["Reproduction", "reproduce"]

_EXHIBITS = {
    "accuracy": "table accuracy",
    "p_test": "table p-test",
    "power": "figure p",
    "eta": "figure eta",
}


@dataclass(frozen=True)
class Reproduction:
    """What :func:`reproduce` gives.

    Attributes
    ----------
    rows : list of dict
        One for each number of the exhibit: ``dataset``, ``setting``, ``method``, ``p_test``,
        ``parameter``, ``mean`` and ``std`` of the accuracy in per cent over ``seeds`` splits,
        ``accuracies`` of each, ``paper_mean``, ``paper_std``, and ``within``, whether the means
        differ by less than twice the standard error of their difference (None without a number of
        the paper).
    """

    rows: list

    def __str__(self) -> str:
        lines = [("data", "setting", "method", "parameter", "accuracy", "paper", "within")]
        for row in self.rows:
            paper = "" if row["paper_mean"] is None else _figure(row["paper_mean"], row["paper_std"])
            within = {None: "", True: "yes", False: "no"}[row["within"]]
            parameter = "" if row["parameter"] is None else f"{row['parameter']:g}"
            lines.append(
                (
                    row["dataset"],
                    row["setting"],
                    row["method"],
                    parameter,
                    _figure(row["mean"], row["std"]),
                    paper,
                    within,
                )
            )
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        return "\n".join(
            "  ".join(f"{text:{width}}" for text, width in zip(line, widths)).rstrip()
            for line in lines
        )


def _figure(mean, std) -> str:
    return f"{mean:.1f} ± {std:.1f}"


def reproduce(
    data,
    datasets=None,
    *,
    exhibit="accuracy",
    methods=None,
    seeds=10,
    solver="exact",
    no_evidence="first_class",
    n_jobs=None,
) -> Reproduction:
    """Run an exhibit of the paper again on its graphs.

    Parameters
    ----------
    data : str or path-like
        The folder with ``cora.npz``, ``photo.npz`` and so on, in the gnn-benchmark layout.
    datasets : list of str, default=None
        Names; None: those of the nine that are in the folder.
    exhibit : str, default="accuracy"
        ``accuracy`` and ``p_test``, the tables; ``power`` and ``eta``, the figures.
    methods : list of str, default=None
        Rows of a table: some of ``LP``, ``SP-Lap``, ``SP-poly``, ``SP-topd``, ``KRR``.
    seeds : int or list of int, default=10
        Random splits.
    solver : str, default="exact"
        ``exact``, or ``richardson`` as in the paper, stopped early.
    no_evidence : str, default="first_class"
        What counts where no label reaches: ``first_class`` as in the paper's tables, or
        ``prior``.
    n_jobs : int, default=None

    Returns
    -------
    Reproduction
        ``print`` it for a table.
    """
    if exhibit not in _EXHIBITS:
        raise ValueError(f"exhibit={exhibit!r}; expected one of {', '.join(_EXHIBITS)}")
    if solver not in ("exact", "richardson"):
        raise ValueError(f"solver={solver!r}; expected exact or richardson")
    if no_evidence not in ("first_class", "prior"):
        raise ValueError(f"no_evidence={no_evidence!r}; expected first_class or prior")
    folder = os.fspath(data)
    names = _present(folder) if datasets is None else list(datasets)
    splits = range(seeds) if isinstance(seeds, int) else list(seeds)
    name_of_exhibit = _EXHIBITS[exhibit]
    cells = [
        cell
        for cell in _core.exhibit_cells(name_of_exhibit)
        if methods is None or cell.method in methods
    ]
    if not cells or not splits:
        raise ValueError("nothing to run: give at least one seed, and methods of this exhibit")
    rows = []
    for name in names:
        graph = _core.PaperGraph(folder, name)
        runs = [
            graph.run_cells(
                cells, seed, solver == "richardson", no_evidence == "prior", threads_of(n_jobs)
            )
            for seed in splits
        ]
        for k, cell in enumerate(cells):
            accuracies = [run[k] for run in runs if run[k] is not None]
            if accuracies:
                rows.append(_row(name, name_of_exhibit, cell, accuracies))
    return Reproduction(rows)


def _present(folder) -> list[str]:
    names = [
        name
        for name in _core.paper_datasets()
        if os.path.exists(os.path.join(folder, f"{name}.npz"))
    ]
    if not names:
        raise FileNotFoundError(
            f"{folder}: holds none of the paper's graphs; expected files such as cora.npz"
        )
    return names


def _row(name, exhibit, cell, accuracies) -> dict:
    return {
        "dataset": name,
        "setting": cell.setting,
        "method": cell.method,
        "p_test": cell.p_test,
        "parameter": cell.parameter,
        "accuracies": accuracies,
        **_core.compare_with_paper(name, exhibit, cell, accuracies),
    }
