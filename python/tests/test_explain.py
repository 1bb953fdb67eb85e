"""What explain says, and that it uses the samples, labels and kernel that it is given."""

import numpy as np
import pytest
import scipy.sparse
import stkr


def moons(n=300, labels=20, seed=0):
    random = np.random.RandomState(seed)
    angle = np.pi * random.rand(n)
    lower = np.arange(n) % 2
    x = np.c_[np.cos(angle), np.sin(angle)]
    x[lower == 1] = [1.0, 0.5] - x[lower == 1]
    x += 0.1 * random.randn(n, 2)
    y = np.full(n, -1)
    kept = random.choice(n, labels, replace=False)
    y[kept] = lower[kept]
    return x, y, lower


def test_it_explains_points():
    x, y, _ = moons()
    found = stkr.explain(x, y)
    assert found.verdict[0].startswith("Expect about")
    assert found.numbers["task"] == "classification"
    assert found.numbers["labels"] == 20
    assert found.numbers["kernel"]["samples"] == 300
    assert len(found.numbers["bounds"]) == 11
    assert {"suggestion", "full selection", "no fit"} < {fit["name"] for fit in found.numbers["compared"]}
    assert str(found).count("\n- ") == len(found.verdict) - 1
    assert "<svg" in found.html and "srcdoc" in found._repr_html_()


def test_the_estimator_gives_the_kernel():
    x, y, _ = moons()
    found = stkr.explain(x, y, stkr.STKRClassifier(kernel="rbf", length_scale=0.3), curves=False)
    assert "rbf" in found.numbers["kernel"]["description"]
    assert found.numbers["with_labels"]["points"] == []


def test_its_eigenvalues_are_those_of_the_kernel():
    x, y, _ = moons(120)
    gram = np.exp(-((x[:, None] - x[None]) ** 2).sum(-1) / (2 * 0.3**2))
    found = stkr.explain(gram, y, stkr.STKRClassifier(kernel="precomputed"), curves=False)
    expected = np.linalg.eigvalsh(gram / 120)[::-1]
    np.testing.assert_allclose(found.numbers["kernel"]["eigenvalues"][:10], expected[:10], rtol=1e-6)
    assert found.numbers["kernel"]["kappa_squared"] == pytest.approx(1.0)


def test_it_explains_graphs_and_their_features():
    x, y, _ = moons()
    near = ((x[:, None] - x[None]) ** 2).sum(-1) < 0.04
    graph = scipy.sparse.csr_matrix(near & ~np.eye(len(x), dtype=bool), dtype=float)
    alone = stkr.explain(graph, y, curves=False)
    assert "graph" in alone.numbers["kernel"]["description"]
    both = stkr.explain(graph, y, features=x, curves=False)
    assert both.verdict


def test_fractions_are_numbers():
    x, _, _ = moons()
    y = np.sin(3 * x[:, 0])
    y[np.arange(300) % 5 > 0] = np.nan
    found = stkr.explain(x, y)
    assert found.numbers["task"] == "regression"
    assert "of the variance" in found.verdict[0]


def test_few_labels_are_said():
    x, y, truth = moons()
    y = np.full(300, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:2]] = c
    found = stkr.explain(x, y)
    assert any("at least 6 are needed" in one for one in found.verdict)
    assert any(part["part"] == "energy of the labels" for part in found.numbers["missing"])


def test_it_is_deterministic():
    x, y, _ = moons()
    one, two = (stkr.explain(x, y, stkr.STKRClassifier(n_jobs=jobs)).verdict for jobs in (1, 2))
    assert one == two


def test_wrong_arguments_are_refused():
    x, y, _ = moons()
    with pytest.raises(TypeError, match="expected STKRClassifier or STKRRegressor"):
        stkr.explain(x, y, stkr.KernelPCAProbe())
    with pytest.raises(ValueError, match="draws"):
        stkr.explain(x, y, draws=0)
    operator = scipy.sparse.linalg.aslinearoperator(np.eye(300))
    with pytest.raises(ValueError, match="explain: X is an operator"):
        stkr.explain(operator, y, stkr.STKRClassifier(kernel="precomputed"))


def test_the_page_is_written(tmp_path):
    x, y, _ = moons()
    stkr.explain(x, y, curves=False).save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
