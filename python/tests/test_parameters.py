"""Parameters that imply, contradict or describe each other, and what a fit chose."""

import numpy as np
import pytest

import stkr
from conftest import rbf


def coefficients(X, y, labeled, **parameters):
    return stkr.STKRClassifier(**parameters).fit(X, y, labeled=labeled).dual_coef_


@pytest.mark.parametrize(
    "given, named",
    [
        ({"power": 8}, {"spectral_transform": "power", "power": 8}),
        ({"time": 2.0}, {"spectral_transform": "diffusion", "time": 2.0}),
        ({"eta": 0.5}, {"spectral_transform": "inverse_laplacian", "eta": 0.5}),
        ({"spectral_transform": "power"}, {"spectral_transform": "power", "power": 2}),
    ],
)
def test_a_parameter_implies_its_transform(moons, given, named):
    """As on the command line; ``power=8`` would otherwise be ignored."""
    X, y, labeled = moons
    options = {"kernel": "rbf", "ridge": 0.1}
    found = coefficients(X, y, labeled, **options, **given)
    assert (found == coefficients(X, y, labeled, **options, **named)).all()


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"eta": 0.5, "spectral_transform": "power"}, "eta=0.5 applies only to .*inverse_laplacian"),
        ({"power": 3, "spectral_transform": "inverse_laplacian"}, "power=3 applies only to"),
        ({"time": 3, "spectral_transform": "0.5*power(2)"}, "time=3 applies only to"),
        ({"power": 3, "spectral_transform": stkr.transforms.power(2)}, "an object or a function"),
        ({"eta": 0.5, "power": 3}, "eta=0.5 and power=3 belong to different transforms"),
        ({"kernel": "rbf", "n_neighbors": 5}, "n_neighbors=5 applies only to kernel 'knn'"),
        (
            {"kernel": "rbf", "length_scale": 1.0, "kernel_params": {"gamma": 1.0}},
            "both set the length scale",
        ),
    ],
)
def test_parameters_that_do_not_apply_are_refused(moons, parameters, message):
    X, y, labeled = moons
    with pytest.raises(ValueError, match=message):
        stkr.STKRClassifier(**parameters).fit(X, y, labeled=labeled)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"families": ["power"], "etas": [0.9]}, "etas belongs to inverse_laplacian"),
        ({"times": [1.0]}, "times belongs to diffusion"),
        ({"families": ["kernel_pca"], "powers": [2]}, "powers belongs to power"),
        ({"n_neighbors": [5]}, "n_neighbors=.* applies only to kernel 'knn'"),
    ],
)
def test_lists_that_do_not_apply_are_refused(moons, parameters, message):
    X, y, labeled = moons
    with pytest.raises(ValueError, match=message):
        stkr.STKRClassifierCV(**parameters).fit(X, y, labeled=labeled)


def test_gamma_as_in_scikit_learn(moons):
    X, y, labeled = moons
    options = {"kernel": "rbf", "eta": 0.9, "ridge": 0.1}
    given = coefficients(X, y, labeled, kernel_params={"gamma": 2.0}, **options)
    assert (given == coefficients(X, y, labeled, length_scale=0.5, **options)).all()
    S = stkr.gram.points(X, gamma=2.0)
    np.testing.assert_allclose(S.block([0, 1], [2]), rbf(X[:2], X[2:3], 0.5), rtol=1e-12)


def test_multiples_of_the_default_length_scale(moons):
    X, y, labeled = moons
    for kernel in ("rbf", "matern32"):
        one, two = (
            stkr.STKRClassifier(kernel, length_scale=scale).fit(X, y, labeled=labeled)
            for scale in (None, "2x")
        )
        assert two.length_scale_ == pytest.approx(2 * one.length_scale_)


def test_what_was_chosen(moons, ring):
    X, y, labeled = moons
    fixed = stkr.STKRClassifier("rbf", spectral_transform="inverse_laplacian", ridge=0.1)
    fixed.fit(X, y, labeled=labeled)
    assert fixed.kernel_ == "rbf" and fixed.ridge_ == 0.1
    assert fixed.lambda_1_ == pytest.approx(1.0)
    assert fixed.eta_ == pytest.approx(0.99 / fixed.lambda_1_)
    assert fixed.beta_ == fixed.summary_.beta
    assert not hasattr(fixed, "n_neighbors_")
    # Given again, the chosen values repeat the fit.
    again = stkr.STKRClassifier("rbf", length_scale=fixed.length_scale_, eta=fixed.eta_, ridge=0.1)
    np.testing.assert_array_equal(
        again.fit(X, y, labeled=labeled).dual_coef_, fixed.dual_coef_
    )
    automatic = stkr.STKRClassifier().fit(X, y, labeled=labeled)
    assert automatic.summary_.tried[0][0].startswith(automatic.kernel_)
    if automatic.kernel_ == "knn":
        assert f"k={automatic.n_neighbors_}" in automatic.summary_.tried[0][0]
    assert not hasattr(automatic.set_params(kernel="linear").fit(X, y, labeled=labeled), "n_neighbors_")
    nodes = stkr.STKRClassifier("graph", eta=0.9).fit(ring, [0] + [-1] * 38 + [1])
    assert nodes.kernel_ == "graph" and nodes.eta_ == 0.9 and nodes.lambda_1_ == 1.0
    spread = stkr.LabelSpreading("graph").fit(ring, [0] + [-1] * 38 + [1])
    assert spread.eta_ == pytest.approx(0.8) and not hasattr(spread, "ridge_")
    probe = stkr.KernelPCAProbe("knn", n_neighbors=7).fit(X, y, labeled=labeled)
    assert probe.n_neighbors_ == 7 and probe.n_components_ == len(probe.eigenvalues_)


def test_lambda_1_of_a_kernel_that_is_not_normalized(moons):
    X, y, labeled = moons
    K = rbf(X, X, 0.3)
    clf = stkr.STKRClassifier("precomputed", spectral_transform="inverse_laplacian", ridge=0.1)
    clf.fit(K, y, labeled=labeled)
    largest = np.linalg.eigvalsh(K / len(K))[-1]
    assert clf.lambda_1_ == pytest.approx(largest, rel=1e-9)
    assert clf.eta_ == pytest.approx(0.99 / largest, rel=1e-9)


def test_sums_of_kernels(moons):
    X, y, labeled = moons
    K = 0
    for share, part in ((0.7, rbf(X, X, 0.3)), (0.3, X @ X.T)):
        K = K + share * len(X) * part / np.linalg.eigvalsh(part)[-1]
    options = {"eta": 0.9, "ridge": 0.1}
    params = {"normalize": False, "add": "linear", "share": 0.3}
    both = stkr.STKRClassifier("rbf", length_scale=0.3, kernel_params=params, **options)
    both.fit(X, y, labeled=labeled)
    own = stkr.STKRClassifier("precomputed", **options).fit(K, y, labeled=labeled)
    np.testing.assert_allclose(both.decision_function(X), own.decision_function(K), atol=1e-6)
    new = X[:5] + 0.1
    rows = sum(
        share * len(X) * rbf_or_linear / largest
        for share, rbf_or_linear, largest in (
            (0.7, rbf(new, X, 0.3), np.linalg.eigvalsh(rbf(X, X, 0.3))[-1]),
            (0.3, new @ X.T, np.linalg.eigvalsh(X @ X.T)[-1]),
        )
    )
    np.testing.assert_allclose(both.decision_function(new), own.decision_function(rows), atol=1e-6)
    cv = stkr.STKRClassifierCV(
        "rbf", kernel_params={"add": "cosine", "share": [0.0, 0.5]}, families=["power"], cv=3
    ).fit(X, y, labeled=range(30))
    assert cv.best_estimator_.kernel_params["share"] in (0.0, 0.5)
    assert cv.predict(X).shape == (120,)
    with pytest.raises(ValueError, match="'share' is for a sum of kernels; name the other"):
        stkr.STKRClassifier("rbf", kernel_params={"share": 0.5}).fit(X, y, labeled=labeled)


def test_a_negative_kernel_says_so(moons):
    _, y, labeled = moons
    clf = stkr.STKRClassifier("precomputed", spectral_transform="inverse_laplacian")
    with pytest.raises(ValueError, match="the kernel is negative on these samples"):
        clf.fit(-np.eye(len(y)), y, labeled=labeled)


def test_a_kernel_that_is_not_square(moons):
    X, y, labeled = moons
    with pytest.raises(ValueError, match=r"X is 120 x 2; expected a kernel matrix") as caught:
        stkr.STKRClassifier("precomputed").fit(X, y, labeled=labeled)
    assert "which is square" not in str(caught.value)
