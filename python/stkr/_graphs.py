"""Samples of other packages: graphs of NetworkX and igraph, and AnnData.

None of these packages is imported: objects are recognized by their attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from ._checks import did_you_mean
from ._tables import is_table, table_labels, table_matrix


class Taken(NamedTuple):
    """X and y in a form that stkr reads, and the names of the samples, if there are any."""

    X: Any
    y: Any
    names: list[Any] | None


def _has(value: Any, *names: str) -> bool:
    return all(hasattr(value, name) for name in names)


def _is_networkx(X: Any) -> bool:
    return _has(X, "nodes", "edges", "adj", "is_directed", "is_multigraph")


def _is_igraph(X: Any) -> bool:
    return _has(X, "vs", "es", "vcount", "get_edgelist", "is_directed")


def _is_anndata(X: Any) -> bool:
    return _has(X, "obs", "obsm", "obsp", "obs_names")


def is_graph_object(X: Any) -> bool:
    return _is_networkx(X) or _is_igraph(X)


def take_samples(X: Any, y: Any, kernel: Any, symmetrize: bool = False) -> Taken:
    """Convert X and y for a fit; leave them unchanged if stkr reads them as they are."""
    if is_graph_object(X):
        _check_graph_kernel(X, kernel)
        nodes, edges = _nodes_and_edges(X)
        if X.is_directed() and not symmetrize:
            remedy = "X.to_undirected()" if _is_networkx(X) else "X.as_undirected()"
            raise ValueError(
                f"X is a directed graph ({type(X).__name__}); expected an undirected one: pass "
                f"{remedy}, or set kernel_params={{'symmetrize': True}}, which uses the larger "
                "weight of the two directions"
            )
        matrix = _matrix(edges, len(nodes), X.is_directed())
        return Taken(matrix, _labels_by_node(y, nodes, X), nodes)
    if _is_anndata(X):
        names = [str(name) for name in X.obs_names]
        if isinstance(y, str):
            y = _obs_column(X, y)
        return Taken(_of_anndata(X, kernel), _by_name(y, names), names)
    if is_table(X):
        X = table_matrix(X)
    if y is not None and is_table(y):
        y = table_labels(y)
    return Taken(X, y, None)


def take_new_samples(X: Any, kernel: Any, names: Any) -> Any:
    """Convert X for predictions; ``names`` are those of the fitted samples."""
    if is_graph_object(X):
        _check_graph_kernel(X, kernel)
        if names is None:
            raise ValueError(
                f"X is a graph ({type(X).__name__}), but the nodes of the fit have no names; give "
                "a sparse matrix: one row per new node, one column per known node"
            )
        return _new_edges(X, list(names))
    if _is_anndata(X):
        if kernel == "graph":
            raise ValueError(
                "X is AnnData, whose graph contains only its own cells; give a sparse matrix of "
                "edges (new x known), or see transduction_ for the fitted cells"
            )
        return _of_anndata(X, kernel)
    return table_matrix(X) if is_table(X) else X


def _check_graph_kernel(X: Any, kernel: Any) -> None:
    if not isinstance(kernel, str) or kernel not in ("graph", "auto"):
        raise ValueError(
            f"X is a graph ({type(X).__name__}), but kernel={kernel!r} takes points; use "
            "kernel='graph'"
        )


def _nodes_and_edges(X: Any) -> Any:
    """Return the nodes, and the edges as positions of two nodes and a weight."""
    if _is_networkx(X):
        nodes = list(X.nodes)
        place = {node: k for k, node in enumerate(nodes)}
        edges = [(place[a], place[b], w) for a, b, w in X.edges(data="weight", default=1)]
    else:
        nodes = X.vs["name"] if "name" in X.vs.attributes() else list(range(X.vcount()))
        ends = X.get_edgelist()
        weights = X.es["weight"] if "weight" in X.es.attributes() else [1] * len(ends)
        edges = [(a, b, w) for (a, b), w in zip(ends, weights)]
    if not nodes:
        raise ValueError(f"X is a graph ({type(X).__name__}) without nodes (n_samples=0)")
    for a, b, weight in edges:
        if not isinstance(weight, (int, float, np.integer, np.floating)):
            raise ValueError(
                f"X: the edge of {nodes[a]!r} and {nodes[b]!r} has the weight {weight!r}; expected "
                "a number in the attribute 'weight'"
            )
    return nodes, edges


def _matrix(edges: Any, size: int, directed: bool) -> Any:
    """Return the adjacency matrix; weights of parallel edges are added."""
    rows, columns, weights = (np.array(part) for part in zip(*edges)) if edges else ([], [], [])
    rows, columns = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    weights = np.asarray(weights, dtype=np.float64)
    if not directed:
        other = rows != columns
        rows, columns = np.append(rows, columns[other]), np.append(columns, rows[other])
        weights = np.append(weights, weights[other])
    return scipy.sparse.csr_matrix((weights, (rows, columns)), shape=(size, size))


def _new_edges(X: Any, known: Any) -> Any:
    """Return the edges of the nodes that are not known, in the order of X."""
    nodes, edges = _nodes_and_edges(X)
    column = {node: k for k, node in enumerate(known)}
    row: dict[Any, int] = {}
    for node in nodes:
        if node not in column:
            row[node] = len(row)
    if not row:
        raise ValueError(
            "X has no new nodes; expected a graph with nodes that were not in the fit, joined to "
            "nodes that were. transduction_ has the predictions for the fitted nodes"
        )
    entries = []
    for a, b, weight in edges:
        for new, old in ((nodes[a], nodes[b]), (nodes[b], nodes[a])):
            if new in row and old in column:
                entries.append((row[new], column[old], weight))
    rows, columns, weights = zip(*entries) if entries else ((), (), ())
    shape = (len(row), len(known))
    return scipy.sparse.csr_matrix((np.array(weights, dtype=float), (rows, columns)), shape=shape)


def _listed(names: Any) -> str:
    names = [str(name) for name in names]
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return shown or "none"


def _labels_by_node(y: Any, nodes: Any, X: Any) -> Any:
    """Return y in the order of the nodes: an attribute's name, labels by node, or an array."""
    if not isinstance(y, str):
        return _by_name(y, nodes)
    if _is_networkx(X):
        attributes = dict.fromkeys(key for node in nodes for key in X.nodes[node])
        values = [X.nodes[node].get(y) for node in nodes]
    else:
        attributes = X.vs.attributes()
        values = X.vs[y] if y in attributes else []
    if y not in attributes:
        raise ValueError(
            f"y={y!r} is not an attribute of the nodes; they have: {_listed(attributes)}"
            f"{did_you_mean(y, attributes)}"
        )
    return _plain(values)


def _by_name(y: Any, names: Any) -> Any:
    """Return labels given by name in the order of the samples; others unchanged."""
    if is_table(y):
        return table_labels(y)
    if not isinstance(y, Mapping):
        index = getattr(y, "index", None)  # of a pandas Series
        if not _has(y, "items", "iloc") or index is None or not set(index) & set(names):
            return y
        if list(index) == list(names) or len(set(index)) < len(index):
            return y
        if list(index) == list(range(len(index))):
            return y
    labels = dict(y.items())
    unknown = labels.keys() - set(names)
    if unknown:
        one = next(name for name in labels if name in unknown)
        raise ValueError(
            f"y has a label for {one!r}, which is not a sample of X{did_you_mean(one, names)}"
        )
    return _plain([labels.get(name) for name in names])


def _plain(values: Any) -> Any:
    """Return labels as an array: of numbers with NaN if missing, else of objects with None."""
    missing = [value is None or value != value for value in values]
    numbers = [v for v, gone in zip(values, missing) if not gone]
    if numbers and all(isinstance(v, (float, np.floating)) for v in numbers):
        return np.array([np.nan if gone else v for v, gone in zip(values, missing)])
    result = np.empty(len(missing), dtype=object)
    result[:] = [None if gone else v for v, gone in zip(values, missing)]
    return result if any(missing) else np.array(result.tolist())


def _obs_column(X: Any, name: str) -> Any:
    if name not in X.obs:
        raise ValueError(
            f"y={name!r} is not a column of X.obs; it has: {_listed(X.obs)}"
            f"{did_you_mean(name, X.obs)}"
        )
    column = X.obs[name]
    return _plain([None if gone else v for v, gone in zip(column, column.isna())])


def _of_anndata(X: Any, kernel: Any) -> Any:
    """Return the neighbor graph of AnnData, or its principal components."""
    graph = "connectivities" in X.obsp
    if kernel == "graph" or (isinstance(kernel, str) and kernel == "auto" and graph):
        if not graph:
            raise ValueError(
                f"X.obsp has no 'connectivities' (it has: {_listed(X.obsp)}); compute them with "
                "scanpy.pp.neighbors(X), or pass a matrix X.obsp[...]"
            )
        return scipy.sparse.csr_matrix(X.obsp["connectivities"])
    if "X_pca" not in X.obsm:
        raise ValueError(
            f"X.obsm has no 'X_pca' (it has: {_listed(X.obsm)}); compute it with "
            "scanpy.pp.pca(X), or pass an array X.obsm[...]"
        )
    return np.asarray(X.obsm["X_pca"])
