"""The spectral embedding: transform and what belongs to it."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.linear_model import LogisticRegression

import stkr
from conftest import rbf


def test_embedding_approximates_the_transformed_kernel(moons):
    X, y, labeled = moons
    clf = stkr.STKRClassifier(
        length_scale=0.5,
        spectral_transform="power",
        power=2,
        n_components=60,
        kernel_params={"normalize": False},
    ).fit(X, y, labeled=labeled)
    K = rbf(X, X, 0.5)
    Z = clf.transform(X)
    np.testing.assert_allclose(Z @ Z.T, K @ K / len(K), atol=1e-6)
    np.testing.assert_allclose(clf.fit_transform(X, y, labeled=labeled), Z, atol=1e-10)
    with pytest.raises(AttributeError, match="set n_components"):
        stkr.STKRClassifier().transform
    assert not hasattr(stkr.STKRClassifier(), "fit_transform")


def test_names_of_the_columns(moons):
    X, y, labeled = moons
    clf = stkr.STKRClassifier("knn", n_components=3).fit(X, y, labeled=labeled)
    names = clf.get_feature_names_out()
    assert names.tolist() == ["stkrclassifier0", "stkrclassifier1", "stkrclassifier2"]
    assert (clf.get_feature_names_out(["a", "b"]) == names).all()
    with pytest.raises(ValueError, match="input_features should have length equal"):
        clf.get_feature_names_out(["a"])
    assert not hasattr(stkr.STKRClassifier(), "get_feature_names_out")
    assert not hasattr(stkr.STKRClassifier(), "set_output")


def test_set_output(moons):
    pandas = pytest.importorskip("pandas")
    X, y, labeled = moons
    frame = pandas.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(len(X))])
    probe = stkr.KernelPCAProbe(n_components=2).set_output(transform="pandas")
    for Z in (probe.fit_transform(frame, y, labeled=labeled), probe.transform(frame)):
        assert list(Z.columns) == ["kernelpcaprobe0", "kernelpcaprobe1"]
        assert list(Z.index) == list(frame.index)
        np.testing.assert_allclose(Z.to_numpy(), probe._embed(frame), atol=1e-10)
    assert isinstance(clone(probe).fit_transform(X, y, labeled=labeled), pandas.DataFrame)
    assert isinstance(probe.set_output(transform="default").transform(frame), np.ndarray)
    with sklearn.config_context(transform_output="pandas"):
        plain = stkr.KernelPCAProbe(n_components=2)
        assert isinstance(plain.fit_transform(X, y, labeled=labeled), pandas.DataFrame)
    with pytest.raises(ValueError, match="expected 'default' or 'pandas'"):
        probe.set_output(transform="table")


def test_kernel_pca_without_labels(moons):
    X, y, _ = moons
    probe = stkr.KernelPCAProbe(
        length_scale=0.3, n_components=4, kernel_params={"normalize": False}
    )
    Z = probe.fit_transform(X)
    values, vectors = np.linalg.eigh(rbf(X, X, 0.3) / len(X))
    np.testing.assert_allclose(probe.eigenvalues_, values[::-1][:4], rtol=1e-8)
    expected = np.sqrt(len(X) * values[::-1][:4]) * vectors[:, ::-1][:, :4]
    np.testing.assert_allclose(np.abs(Z), np.abs(expected), atol=1e-7)
    np.testing.assert_allclose(probe.transform(X), Z, atol=1e-8)
    for ask in (probe.predict, probe.predict_proba, probe.decision_function):
        with pytest.raises(NotFittedError, match="fitted without y"):
            ask(X)
    with pytest.raises(NotFittedError, match="fitted without y"):
        probe.transduction_
    assert stkr.KernelPCAProbe().fit(X).transform(X).shape == (120, 10)
    assert probe.fit(X, y).predict(X).shape == (120,)  # with y it can predict again
    made = make_pipeline(stkr.KernelPCAProbe(n_components=5), LogisticRegression())
    assert made.fit(X, y).score(X, y) > 0.8
