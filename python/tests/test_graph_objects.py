"""Graphs of NetworkX and igraph, and AnnData, as X; labels by node, by attribute or in order."""

import anndata
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import stkr

LABELS = {"Valjean": "Cosette's", "Cosette": "Cosette's", "Enjolras": "barricade",
          "Gavroche": "barricade"}


@pytest.fixture(scope="module")
def novel():
    return nx.les_miserables_graph()


def in_order(graph, labels=LABELS):
    return [labels.get(node) for node in graph]


def reference(graph, y):
    matrix = nx.to_scipy_sparse_array(graph, weight="weight", format="csr")
    return stkr.STKRClassifier("graph").fit(scipy.sparse.csr_matrix(matrix), y)


def test_networkx_graph_is_its_weighted_adjacency_matrix(novel):
    expected = reference(novel, in_order(novel))
    for kernel in ("graph", "auto"):
        clf = stkr.STKRClassifier(kernel).fit(novel, LABELS)
        assert list(clf.sample_names_in_) == list(novel)
        assert (clf.transduction_ == expected.transduction_).all()
    np.testing.assert_array_equal(clf.label_distributions_, expected.label_distributions_)


def test_labels_by_node_by_attribute_and_in_order_are_the_same(novel):
    expected = stkr.STKRClassifier("graph").fit(novel, in_order(novel)).label_distributions_
    named = novel.copy()
    nx.set_node_attributes(named, LABELS, "side")
    series = pd.Series(LABELS)
    for y in (LABELS, series, series[::-1], in_order(novel)):
        clf = stkr.STKRClassifier("graph").fit(novel, y)
        np.testing.assert_array_equal(clf.label_distributions_, expected)
    clf = stkr.STKRClassifier("graph").fit(named, "side")
    np.testing.assert_array_equal(clf.label_distributions_, expected)


def test_regression_and_selection_take_graphs(novel):
    ages = {"Valjean": 60.0, "Gavroche": 12.0, "Cosette": 20.5, "Marius": 22.0}
    model = stkr.STKRRegressor("graph").fit(novel, ages)
    assert model.transduction_.shape == (len(novel),)
    chosen = stkr.STKRClassifierCV("graph", families=["power"], cv="loo").fit(novel, LABELS)
    assert len(chosen.transduction_) == len(novel)


def test_multigraph_weights_add_up_and_missing_weights_are_1():
    multi = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    single = nx.Graph()
    single.add_edge("a", "b", weight=2)
    single.add_edge("b", "c")
    labels = {"a": 0, "c": 1}
    first = stkr.STKRClassifier("graph").fit(multi, labels)
    second = stkr.STKRClassifier("graph").fit(single, labels)
    np.testing.assert_array_equal(first.label_distributions_, second.label_distributions_)


def test_names_are_in_the_model_file(novel, tmp_path):
    clf = stkr.STKRClassifier("graph").fit(novel, LABELS)
    clf.save(tmp_path / "model.npz")
    info = stkr.load(tmp_path / "model.npz").info_
    assert info["sample_names"] == list(novel)


def test_a_fit_without_names_forgets_them(novel):
    clf = stkr.STKRClassifier("graph").fit(novel, LABELS)
    clf.fit(nx.to_scipy_sparse_array(novel), in_order(novel))
    assert not hasattr(clf, "sample_names_in_")


def test_new_nodes_come_by_name(novel):
    clf = stkr.STKRClassifier("graph").fit(novel, LABELS)
    more = novel.copy()
    more.add_edge("Reader", "Gavroche", weight=3)
    more.add_edge("Writer", "Cosette")
    more.add_edge("Reader", "Writer")  # an edge of two new nodes is not used
    known = list(novel)
    edges = scipy.sparse.lil_matrix((2, len(known)))
    edges[0, known.index("Gavroche")] = 3
    edges[1, known.index("Cosette")] = 1
    np.testing.assert_array_equal(clf.predict(more), clf.predict(edges.tocsr()))
    with pytest.raises(ValueError, match="no new nodes"):
        clf.predict(novel)
    unnamed = stkr.STKRClassifier("graph").fit(nx.to_scipy_sparse_array(novel), in_order(novel))
    with pytest.raises(ValueError, match="have no names"):
        unnamed.predict(more)


def test_igraph_is_the_same_graph(novel):
    other = igraph.Graph.from_networkx(novel)
    other.vs["name"] = other.vs["_nx_name"]
    expected = stkr.STKRClassifier("graph").fit(novel, LABELS)
    clf = stkr.STKRClassifier("graph").fit(other, LABELS)
    assert list(clf.sample_names_in_) == list(expected.sample_names_in_)
    np.testing.assert_array_equal(clf.label_distributions_, expected.label_distributions_)
    other.vs["side"] = in_order(novel)
    clf = stkr.STKRClassifier("graph").fit(other, "side")
    np.testing.assert_array_equal(clf.label_distributions_, expected.label_distributions_)


def test_igraph_without_names_has_numbers():
    ring = igraph.Graph.Ring(6)
    clf = stkr.STKRClassifier("graph").fit(ring, {0: "a", 3: "b"})
    assert list(clf.sample_names_in_) == list(range(6))


def test_directed_graphs_are_refused_with_a_remedy(novel):
    directed = nx.DiGraph([("a", "b"), ("b", "c")])
    labels = {"a": 0, "c": 1}
    with pytest.raises(ValueError, match=r"directed graph \(DiGraph\).*X.to_undirected\(\)"):
        stkr.STKRClassifier("graph").fit(directed, labels)
    with pytest.raises(ValueError, match=r"X.as_undirected\(\)"):
        stkr.STKRClassifier("graph").fit(igraph.Graph([(0, 1)], directed=True), [0, 1])
    clf = stkr.STKRClassifier("graph", kernel_params={"symmetrize": True}).fit(directed, labels)
    both = stkr.STKRClassifier("graph").fit(directed.to_undirected(), labels)
    np.testing.assert_array_equal(clf.label_distributions_, both.label_distributions_)


def test_bad_graphs_and_labels_are_named(novel):
    clf = stkr.STKRClassifier("graph")
    with pytest.raises(ValueError, match="'Valjeann'.*did you mean 'Valjean'"):
        clf.fit(novel, {**LABELS, "Valjeann": "x"})
    nx.set_node_attributes(novel := novel.copy(), LABELS, "side")
    with pytest.raises(ValueError, match="'sides' is not an attribute.*side.*did you mean 'side'"):
        clf.fit(novel, "sides")
    with pytest.raises(ValueError, match="kernel='rbf' takes points; use kernel='graph'"):
        stkr.STKRClassifier("rbf").fit(novel, LABELS)
    with pytest.raises(ValueError, match="without nodes"):
        clf.fit(nx.Graph(), {})
    with pytest.raises(ValueError, match="'a' and 'b' has the weight 'strong'"):
        clf.fit(nx.Graph([("a", "b", {"weight": "strong"})]), {"a": 0, "b": 1})


@pytest.fixture
def cells():
    rng = np.random.default_rng(0)
    group = np.arange(40) // 20
    points = rng.normal(size=(40, 5)) + 5 * group[:, np.newaxis]
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 5
    np.fill_diagonal(near, False)
    kinds = np.array(["B", "T"], dtype=object)[group]
    labels = pd.Categorical([kinds[k] if k % 10 == 0 else None for k in range(40)])
    obs = pd.DataFrame({"cell_type": labels}, index=[f"cell{k}" for k in range(40)])
    data = anndata.AnnData(X=points, obs=obs, dtype=np.float64)
    data.obsm["X_pca"] = points
    data.obsp["connectivities"] = scipy.sparse.csr_matrix(near.astype(float))
    return data, kinds


def test_anndata_is_its_neighbor_graph_or_its_principal_components(cells):
    data, kinds = cells
    labels = np.asarray(data.obs["cell_type"].astype(object))
    labels[data.obs["cell_type"].isna()] = None
    graph = stkr.STKRClassifier("graph").fit(data, "cell_type")
    assert (graph.transduction_ == kinds).all()
    assert list(graph.sample_names_in_) == list(data.obs_names)
    expected = stkr.STKRClassifier("graph").fit(data.obsp["connectivities"], labels)
    np.testing.assert_array_equal(graph.label_distributions_, expected.label_distributions_)
    points = stkr.STKRClassifier("rbf").fit(data, data.obs["cell_type"])
    expected = stkr.STKRClassifier("rbf").fit(data.obsm["X_pca"], labels)
    np.testing.assert_array_equal(points.label_distributions_, expected.label_distributions_)
    np.testing.assert_array_equal(points.predict(data), expected.predict(data.obsm["X_pca"]))


def test_anndata_without_a_graph_or_a_column_says_so(cells):
    data, _ = cells
    with pytest.raises(ValueError, match="'celltype' is not a column.*did you mean 'cell_type'"):
        stkr.STKRClassifier("graph").fit(data, "celltype")
    clf = stkr.STKRClassifier("graph").fit(data, "cell_type")
    with pytest.raises(ValueError, match="see transduction_"):
        clf.predict(data)
    del data.obsp["connectivities"]
    with pytest.raises(ValueError, match="scanpy.pp.neighbors"):
        stkr.STKRClassifier("graph").fit(data, "cell_type")
    del data.obsm["X_pca"]
    with pytest.raises(ValueError, match="no 'X_pca' .it has: none"):
        stkr.STKRClassifier("rbf").fit(data, "cell_type")
