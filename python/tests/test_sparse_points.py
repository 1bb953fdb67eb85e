"""Sparse points, such as the words of texts."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity, rbf_kernel
from sklearn.pipeline import make_pipeline

import stkr

TOPICS = (
    "ship sail wind harbor wave captain anchor".split(),
    "bread oven flour salt yeast butter sugar".split(),
    "goal match ball team player score league".split(),
)
COMMON = "the of and to in with for new old one two all some more less day night on by at from".split()


def texts(count, seed=0):
    """Return texts on three topics, each with words that all topics share."""
    random = np.random.default_rng(seed)
    topic = random.integers(3, size=count)
    documents = [
        " ".join([*random.choice(TOPICS[t], 3), *random.choice(COMMON, 5)]) for t in topic
    ]
    return documents, topic


@pytest.fixture(scope="module")
def words():
    documents, topic = texts(240)
    X = TfidfVectorizer().fit_transform(documents)
    y = np.full(240, -1)
    y[:30] = topic[:30]
    assert sp.issparse(X) and X.nnz < 0.25 * X.shape[0] * X.shape[1]
    return X, y, topic


KERNELS = ["cosine", "linear", "polynomial", "rbf", "laplacian", "matern32", "knn", "auto"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_points_learn_what_dense_points_learn(words, kernel):
    X, y, topic = words
    length = {"length_scale": 1.0} if kernel in ("rbf", "laplacian", "matern32") else {}
    sparse = stkr.STKRClassifier(kernel, **length).fit(X, y)
    assert np.mean(sparse.transduction_[30:] == topic[30:]) > 0.7
    if kernel in ("auto", "knn"):  # other candidates; single precision and ties
        return
    dense = stkr.STKRClassifier(kernel, **length).fit(X.toarray(), y)
    np.testing.assert_allclose(
        sparse.predict_proba(X), dense.predict_proba(X.toarray()), atol=1e-4
    )
    # New samples may be sparse or dense, whatever the fitted ones were.
    for fitted in (sparse, dense):
        np.testing.assert_allclose(
            fitted.predict_proba(X[:50]), fitted.predict_proba(X[:50].toarray()), atol=1e-9
        )


@pytest.mark.parametrize("kernel", ["cosine", "auto", "knn"])
def test_a_text_pipeline(kernel):
    documents, topic = texts(200, seed=1)
    y = np.where(np.arange(200) < 30, topic, -1)
    model = make_pipeline(TfidfVectorizer(), stkr.STKRClassifier(kernel)).fit(documents, y)
    new, expected = texts(60, seed=2)
    assert np.mean(model.predict(new) == expected) > 0.8


def test_other_estimators_take_sparse_points(words):
    X, y, topic = words
    for estimator in (
        stkr.STKRClassifierCV("cosine"),
        stkr.STKRClassifierCV(["cosine", "linear", "knn"]),
        stkr.KernelPCAProbe(kernel="cosine", n_components=8),
        stkr.LabelSpreading("knn"),
    ):
        fitted = estimator.fit(X, y)
        assert np.mean(fitted.predict(X)[30:] == topic[30:]) > 0.7
    values = np.where(y >= 0, topic + 0.5, np.nan)
    for estimator in (stkr.STKRRegressor(), stkr.STKRRegressor("cosine"), stkr.STKRRegressorCV()):
        fitted = estimator.fit(X, values)
        assert np.corrcoef(fitted.predict(X)[30:], topic[30:])[0, 1] > 0.5


@pytest.mark.parametrize("kernel", ["cosine", "knn"])
def test_models_keep_points_sparse(words, kernel, tmp_path):
    X, y, _ = words
    wide = sp.hstack([X, sp.csr_matrix((240, 100_000))]).tocsr()
    model = stkr.STKRClassifier(kernel).fit(wide, y)
    model.save(tmp_path / "model.npz")
    assert (tmp_path / "model.npz").stat().st_size < 400_000
    loaded = stkr.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict_proba(wide), model.predict_proba(wide))
    with pytest.raises(ValueError, match="features"):
        loaded.predict(X)
    with pytest.raises(ValueError, match="features"):
        model.predict(X)


def test_grams_of_sparse_points(words):
    X, _, _ = words
    np.testing.assert_allclose(
        stkr.gram.points(X, "cosine").block(range(240), range(240)), cosine_similarity(X)
    )
    np.testing.assert_allclose(
        stkr.gram.points(X, "rbf", length_scale=0.8).block(range(5), range(240)),
        rbf_kernel(X[:5], X, gamma=1 / (2 * 0.8**2)),
    )
    assert stkr.gram.neighbors(X).shape == (240, 240)


def test_a_kernel_function_gets_the_sparse_points(words):
    X, y, topic = words
    fitted = stkr.STKRClassifier(cosine_similarity).fit(X, y)
    expected = stkr.STKRClassifier("precomputed").fit(cosine_similarity(X), y)
    np.testing.assert_allclose(fitted.predict_proba(X), expected.predict_proba(cosine_similarity(X)))


def test_unsorted_and_duplicate_entries_are_added_up(words):
    X, y, _ = words
    coo = X.tocoo()
    order = np.random.default_rng(0).permutation(2 * coo.nnz)
    doubled = sp.coo_matrix(
        (np.tile(coo.data / 2, 2)[order], (np.tile(coo.row, 2)[order], np.tile(coo.col, 2)[order])),
        shape=X.shape,
    )
    expected = stkr.STKRClassifier("cosine").fit(X, y).predict_proba(X)
    for form in (doubled, X.tocsc(), X.tolil(), X.astype(np.float32), sp.csr_array(X)):
        found = stkr.STKRClassifier("cosine").fit(form, y).predict_proba(form)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_texts_without_words_get_the_prior():
    documents, topic = texts(120, seed=3)
    documents[50] = documents[60] = ""
    X = CountVectorizer().fit_transform(documents)
    y = np.where(np.arange(120) < 24, topic, -1)
    for kernel in ("cosine", "linear", "auto"):
        model = stkr.STKRClassifier(kernel).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
    knn = stkr.STKRClassifier("knn", kernel_params={"edge_weight": "cosine"}).fit(X, y)
    assert not knn.evidence_[50] and knn.evidence_[:24].all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite(words, bad):
    X, y, _ = words
    broken = X.copy()
    broken.data[7] = bad
    row = np.searchsorted(broken.indptr, 7, "right") - 1
    place = rf"X\[{row}, {broken.indices[7]}\] is"
    with pytest.raises(ValueError, match=place):
        stkr.STKRClassifier("cosine").fit(broken, y)
    with pytest.raises(ValueError, match=place):
        stkr.STKRClassifier("cosine").fit(X, y).predict(broken)


def test_indices_out_of_range(words):
    X, y, _ = words
    for value in (-1, X.shape[1]):
        broken = X.copy()
        broken.indices = broken.indices.copy()
        broken.indices[3] = value
        with pytest.raises(ValueError, match="out of range|damaged|index"):
            stkr.STKRClassifier("cosine").fit(broken, y)


def test_a_square_sparse_matrix_is_a_graph_unless_a_kernel_is_named(words):
    X, y, topic = words
    square = sp.csr_matrix((X.data, X.indices, X.indptr), shape=(240, 240))
    with pytest.raises(ValueError, match="not symmetric"):
        stkr.STKRClassifier().fit(square, y)
    assert np.mean(stkr.STKRClassifier("cosine").fit(square, y).transduction_ == topic) > 0.8
