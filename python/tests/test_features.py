"""Node features of graphs."""

import numpy as np
import pytest
import scipy.sparse as sp

import stkr


def graph_with_words(n=90, seed=0):
    """Return a graph of three groups, sparse counts as features, and the group of each node."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    joined = np.triu(rng.random((n, n)) < np.where(y[:, None] == y, 0.12, 0.02), 1)
    graph = sp.csr_matrix((joined + joined.T).astype(float))
    likely = np.where(np.arange(30) % 3 == y[:, None], 0.3, 0.05)
    words = sp.csr_matrix((rng.random((n, 30)) < likely).astype(float))
    return graph, words, y


def some_labels(y, count=5):
    labels = np.full(len(y), -1)
    labels[: 3 * count] = y[: 3 * count]
    return labels


def smoothed(graph, X, steps):
    looped = graph + sp.identity(graph.shape[0])
    root = sp.diags(1 / np.sqrt(np.asarray(looped.sum(axis=1)).ravel()))
    for _ in range(steps):
        X = root @ looped @ root @ X
    return np.asarray(sp.csr_matrix(X).todense())


def test_is_the_kernel_of_smoothed_features():
    graph, words, y = graph_with_words()
    phi = smoothed(graph, words, 2)
    phi /= np.linalg.norm(phi, axis=1, keepdims=True)
    options = {"eta": 0.5, "leave_one_out": True}  # so that probabilities of both are calibrated
    expected = stkr.STKRClassifier("precomputed", **options).fit(phi @ phi.T, some_labels(y))
    for features in (words, words.toarray(), words.tocsc(), words.astype(np.float32)):
        clf = stkr.STKRClassifier("graph", **options).fit(graph, some_labels(y), features=features)
        np.testing.assert_allclose(
            clf.label_distributions_, expected.label_distributions_, atol=1e-6
        )
    assert (clf.transduction_ == y).mean() > 0.9
    assert "smoothed 2 times" in str(clf.summary_)


@pytest.mark.parametrize("params", [
    {},
    {"smooth": 0},
    {"smooth": 1, "share": 0.5},
    {"features": "rbf", "features_length_scale": 2.0, "smooth": 1},
    {"features": "rbf", "smooth": 0, "share": 0.3},
    {"features": "linear", "smooth": 3, "share": 0.7},
])
@pytest.mark.parametrize("sparse", [True, False])
def test_new_nodes_have_edges_and_features(params, sparse, tmp_path):
    graph, words, y = graph_with_words()
    features = words if sparse else words.toarray()
    clf = stkr.STKRClassifier("graph", kernel_params=params)
    clf.fit(graph, some_labels(y), features=features)
    again = (graph[50:60], features[50:60])
    np.testing.assert_array_equal(clf.predict(again), clf.transduction_[50:60])
    np.testing.assert_allclose(
        clf.predict_proba(again), clf.label_distributions_[50:60], atol=1e-6
    )
    clf.save(tmp_path / "model.npz")
    loaded = stkr.load(tmp_path / "model.npz")
    # Of features alone, a loaded model is one of points.
    points = loaded.info_["samples"] == "points"
    new = words[50:60].toarray() if points else again
    np.testing.assert_array_equal(loaded.predict(new), clf.predict(again))
    with pytest.raises(ValueError, match="tuple"):
        clf.predict(graph[50:60])
    with pytest.raises(ValueError, match="9 rows for 10 nodes"):
        clf.predict((graph[50:60], features[50:59]))
    with pytest.raises(ValueError, match="29 columns"):
        clf.predict((graph[50:60], features[50:60][:, :29]))


def test_every_estimator_takes_features():
    graph, words, y = graph_with_words()
    for estimator in (stkr.KernelPCAProbe("graph"), stkr.LabelSpreading("graph")):
        estimator.fit(graph, some_labels(y), features=words)
        assert (estimator.transduction_ == y).mean() > 0.8
    targets = np.where(some_labels(y) >= 0, y.astype(float), np.nan)
    regressor = stkr.STKRRegressor("graph").fit(graph, targets, features=words)
    assert np.corrcoef(regressor.transduction_, y)[0, 1] > 0.5


def test_smoothing_and_share_are_selected():
    graph, words, y = graph_with_words()
    clf = stkr.STKRClassifierCV(
        "graph",
        kernel_params={"smooth": [0, 1, 2], "share": [0.5, 1.0]},
        families=["inverse_laplacian"],
        etas=[0.9],
        ridges=[0.1],
        cv="loo",
    ).fit(graph, some_labels(y), features=words)
    assert len(set(clf.cv_results_["kernel"])) == 6
    assert "cosine" in clf.cv_results_["kernel"][clf.best_index_]
    again = (graph[50:60], words[50:60])
    np.testing.assert_array_equal(clf.predict(again), clf.transduction_[50:60])


def test_weight_0_leaves_a_node_and_its_features_out():
    graph, words, y = graph_with_words()
    weights = np.ones(len(y))
    weights[80:] = 0
    clf = stkr.STKRClassifier("graph").fit(
        graph, some_labels(y), sample_weight=weights, features=words
    )
    inside = stkr.STKRClassifier("graph").fit(
        graph[:80][:, :80], some_labels(y)[:80], features=words[:80]
    )
    np.testing.assert_array_equal(clf.transduction_[:80], inside.transduction_)
    outside = inside.predict((graph[80:][:, :80], words[80:]))
    np.testing.assert_array_equal(clf.transduction_[80:], outside)


def test_refuses_what_makes_no_sense():
    graph, words, y = graph_with_words()
    labels = some_labels(y)

    def fit(kernel="graph", features=words, X=graph, **params):
        return stkr.STKRClassifier(kernel, kernel_params=params or None).fit(
            X, labels, features=features
        )

    with pytest.raises(ValueError, match="80 rows for 90 nodes"):
        fit(features=words[:80])
    with pytest.raises(ValueError, match="are 0"):
        fit(features=np.zeros((90, 4)))
    with pytest.raises(ValueError, match="smooth=-1"):
        fit(smooth=-1)
    with pytest.raises(ValueError, match="share=2"):
        fit(share=2)
    with pytest.raises(ValueError, match="features='knn'"):
        stkr.STKRClassifier("graph", kernel_params={"features": "knn"}).fit(
            graph, labels, features=words
        )
    with pytest.raises(ValueError, match="fit\\(graph, y, features=...\\)"):
        fit(features=None, smooth=2)
    with pytest.raises(ValueError, match="kernel='graph'"):
        stkr.STKRClassifier("rbf").fit(words.toarray(), labels, features=words)
    bad = words.toarray()
    bad[3, 4] = np.nan
    with pytest.raises(ValueError, match="features"):
        fit(features=bad)
