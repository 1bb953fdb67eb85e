"""Adjacency matrices: damaged ones are refused, unusual formats give the same results."""

import numpy as np
import pytest
import scipy.sparse

import stkr
from conftest import ESTIMATORS, make

HALVES = np.repeat([0, 1], 20)
LABELED = [1, 2, 3, 21, 22, 23]


def changed(graph, change):
    graph = graph.copy()
    change(graph)
    return graph


def assign(name, change):
    """Return a change that replaces an array."""
    return lambda graph: setattr(graph, name, change(getattr(graph, name)))


def entry(name, place, value):
    return lambda graph: getattr(graph, name).__setitem__(place, value)


DAMAGES = {
    "column too large": (entry("indices", 2, 10**6), "index 1000000 is .* 40 columns; rebuild"),
    "column negative": (entry("indices", 2, -5), "column index -5 is out of range .*; rebuild"),
    "row start too large": (entry("indptr", 1, 10**8), "indptr does not ascend from 0"),
    "row start negative": (entry("indptr", 1, -3), "indptr does not ascend"),
    "last row start too large": (entry("indptr", -1, 10**8), "indptr does not ascend"),
    "last row start too small": (entry("indptr", -1, 3), "indptr does not ascend"),
    "first row start": (entry("indptr", 0, 1), "indptr does not ascend"),
    "a row start too few": (assign("indptr", lambda a: a[:-1]), "rows with .* row starts.*rebuild"),
    "indices missing": (assign("indices", lambda a: a[:-2]), "indices and .* values; rebuild"),
    "values missing": (assign("data", lambda a: a[:-2]), "indices and .* values; rebuild"),
    "indices of floats": (assign("indices", lambda a: a * 1.0), "X.indices is an array of float64"),
    "starts of floats": (assign("indptr", lambda a: a * 1.0), "X.indptr is an array of float64"),
}


@pytest.mark.parametrize("change, message", DAMAGES.values(), ids=DAMAGES)
def test_damaged_csr(ring, change, message):
    with pytest.raises(ValueError, match=message):
        stkr.gram.graph(changed(ring, change))
    with pytest.raises(ValueError, match=message):
        stkr.STKRClassifierCV("graph").fit(changed(ring, change), HALVES, labeled=LABELED)
    fitted = stkr.STKRClassifier("graph").fit(ring, HALVES, labeled=LABELED)
    with pytest.raises(ValueError, match=message):
        fitted.predict(changed(ring[:3], change))


@pytest.mark.parametrize(
    "format, change, message",
    [
        ("coo", entry("row", 0, 10**7), "damaged coo matrix: row index 10000000 .*; rebuild"),
        ("coo", entry("col", 0, -1), "damaged coo matrix: column index -1 is out of range"),
        ("csc", entry("indices", 0, 10**7), "damaged csc matrix: row index values must be < 40"),
        ("csc", entry("indptr", 3, 10**8), "damaged csc matrix: index pointer"),
        ("bsr", entry("indices", 0, 10**7), "damaged bsr matrix: column index values must be"),
    ],
)
def test_damage_that_scipy_would_crash_on(ring, format, change, message):
    damaged = changed(ring.asformat(format), change)
    with pytest.raises(ValueError, match=message):
        stkr.gram.graph(damaged)
    with pytest.raises(ValueError, match=message):
        stkr.STKRClassifier("graph").fit(damaged, HALVES, labeled=LABELED)


BAD_GRAPHS = {
    "dense": (lambda W: W.toarray(), ValueError, "X is dense.*40.*scipy.sparse.csr_matrix"),
    "nothing": (lambda W: None, ValueError, "X is dense"),
    "not square": (lambda W: W[:, :20], ValueError, "X is 40 x 20; expected an adjacency matrix"),
    "directed": (scipy.sparse.triu, ValueError, "is not symmetric: the edge .*symmetrize"),
    "negative": (lambda W: -W, ValueError, r"edge \(0, 1\) has weight -1, expected .* ≥ 0"),
    "NaN": (lambda W: changed(W, entry("data", 3, np.nan)), ValueError, r"X\[1, 0\] is nan"),
    "infinity": (lambda W: changed(W, entry("data", 3, np.inf)), ValueError, r"X\[1, 0\] is inf"),
    "complex": (lambda W: W * 1j, ValueError, "Complex data not supported: X is an array of"),
    "no edges": (lambda W: 0 * W, ValueError, "no edges, so there is nothing to learn from"),
    "no nodes": (lambda W: W[:0, :0], ValueError, r"0 sample\(s\)"),
    "one node": (lambda W: W[:1, :1], ValueError, "n_samples=1"),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("change, error, message", BAD_GRAPHS.values(), ids=BAD_GRAPHS)
def test_graphs_that_cannot_be_learned_from(ring, estimator, change, error, message):
    with pytest.raises(error, match=message):
        make(estimator, "graph").fit(change(ring), HALVES, labeled=LABELED)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_new_nodes(ring, estimator):
    fitted = make(estimator, "graph").fit(ring, HALVES, labeled=LABELED)
    for new, message in (
        (ring[:3, :20], "20 columns, but the model has 40 samples: give the edges between new"),
        (ring[:3].toarray(), "X is dense"),
        (-ring[:3], r"edge \(0, 1\) has weight -1"),
        (changed(ring[:3], entry("data", 0, np.nan)), r"X\[0, 1\] is nan"),
        (ring[:0], r"0 sample\(s\)"),
    ):
        with pytest.raises(ValueError, match=message):
            fitted.predict(new)


def reverse_rows(graph):
    """Reverse the order of the entries of every row."""
    for i in range(graph.shape[0]):
        row = slice(graph.indptr[i], graph.indptr[i + 1])
        for array in (graph.indices, graph.data):
            array[row] = array[row][::-1].copy()
    graph.has_sorted_indices = False


def twice(graph):
    """Split every edge into two halves."""
    graph.indptr = 2 * graph.indptr
    graph.indices = np.repeat(graph.indices, 2)
    graph.data = np.repeat(graph.data, 2) / 2
    graph.has_canonical_format = False


def zeros_too(graph):
    """Add explicit zeros on the diagonal."""
    places = scipy.sparse.coo_matrix(graph)
    nodes = np.arange(graph.shape[0])
    with_zeros = scipy.sparse.coo_matrix(
        (
            np.r_[places.data, np.zeros(len(nodes))],
            (np.r_[places.row, nodes], np.r_[places.col, nodes]),
        ),
        shape=graph.shape,
    ).tocsr()
    assert with_zeros.nnz == graph.nnz + len(nodes)
    graph.indptr, graph.indices, graph.data = with_zeros.indptr, with_zeros.indices, with_zeros.data


SAME = {
    "csc": lambda W: W.tocsc(),
    "coo": lambda W: W.tocoo(),
    "lil": lambda W: W.tolil(),
    "bsr": lambda W: W.tobsr(),
    "dok": lambda W: W.todok(),
    "csr_array": scipy.sparse.csr_array,
    "64-bit indices": lambda W: changed(
        changed(W, assign("indices", lambda a: a.astype(np.int64))),
        assign("indptr", lambda a: a.astype(np.int64)),
    ),
    "16-bit indices": lambda W: changed(W, assign("indices", lambda a: a.astype(np.int16))),
    "swapped bytes": lambda W: changed(
        changed(W, assign("indices", lambda a: a.astype(">i4"))),
        assign("data", lambda a: a.astype(">f8")),
    ),
    "strides": lambda W: changed(
        changed(W, assign("indices", lambda a: np.repeat(a, 2)[::2])),
        assign("data", lambda a: np.repeat(a, 2)[::2]),
    ),
    "unsorted": lambda W: changed(W, reverse_rows),
    "duplicates": lambda W: changed(W, twice),
    "explicit zeros": lambda W: changed(W, zeros_too),
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_the_same_graph_in_other_forms(ring, change):
    plain = stkr.STKRClassifier("graph").fit(ring, HALVES, labeled=LABELED)
    other = change(ring)
    before = other.copy()
    clf = stkr.STKRClassifier("graph").fit(other, HALVES, labeled=LABELED)
    np.testing.assert_allclose(clf.dual_coef_, plain.dual_coef_, atol=1e-12)
    assert (clf.predict_proba(other) == plain.predict_proba(ring)).all()
    if other.format == "csr":
        for name in ("indptr", "indices", "data"):
            assert (getattr(other, name) == getattr(before, name)).all(), name


def test_a_graph_changed_after_the_fit(ring):
    own = ring.copy()
    clf = stkr.STKRClassifier("graph").fit(own, HALVES, labeled=LABELED)
    before = clf.predict_proba(ring)
    own.data[:], own.indices[:] = np.nan, 10**6
    assert (clf.predict_proba(ring) == before).all()
