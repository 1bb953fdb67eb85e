"""The quantities of stkr.theory compared with dense NumPy."""

import numpy as np
import pytest

import stkr
from conftest import rbf
from stkr import theory


@pytest.fixture
def points():
    """Points, their rbf kernel and its spectrum: X, K, λ and u."""
    X = np.random.default_rng(1).standard_normal((30, 3))
    K = rbf(X, X, 0.7)
    values, vectors = np.linalg.eigh(K / 30)
    return X, K, values, vectors


@pytest.fixture
def S(points):
    return stkr.gram.points(points[0], length_scale=0.7)


@pytest.fixture
def fitted(points):
    X, _, _, _ = points
    y = np.where(np.arange(30) < 8, np.sin(X[:, 0]), np.nan)
    return stkr.STKRRegressor(
        "rbf", length_scale=0.7, kernel_params={"normalize": False}, power=2, ridge=0.1
    ).fit(X, y)


def close(found, expected, accuracy=1e-8):
    np.testing.assert_allclose(found, expected, rtol=accuracy, atol=accuracy)


TRANSFORMS = [
    (0.5, lambda x: x**0.5),
    (1, lambda x: x),
    (2.5, lambda x: x**2.5),
    ("inverse-laplacian(0.9)", lambda x: x / (1 - 0.9 * x)),
    (stkr.transforms.diffusion(2.0), lambda x: np.expm1(2 * x)),
    (lambda x: x + x**3, lambda x: x + x**3),
]


@pytest.mark.parametrize("s, exact", TRANSFORMS)
@pytest.mark.parametrize("exact_below", [1, 1000])
def test_norms_are_sums_over_eigenvectors(points, S, s, exact, exact_below):
    _, _, values, vectors = points
    f = vectors @ (np.random.default_rng(2).standard_normal(30) * values)
    g = vectors @ (np.random.default_rng(3).standard_normal(30) * values)
    a, b = vectors.T @ f, vectors.T @ g
    options = {"exact_below": exact_below}
    norm = theory.rkhs_norm(S, f, s, **options)
    close(norm.squared, (a * a / exact(values)).sum() / 30)
    close([norm.norm, norm.lipschitz], np.sqrt((a * a / exact(values)).sum() / 30))
    assert norm.converged and norm.outside < 1e-12
    close(theory.rkhs_inner_product(S, f, g, s, **options), (a * b / exact(values)).sum() / 30)


def test_smoothness_and_poincare_constants(points):
    X, K, _, _ = points
    S = stkr.gram.points(X, length_scale=0.7, center=True)
    C = np.eye(30) - 1 / 30
    values, vectors = np.linalg.eigh(C @ K @ C / 30)
    f = vectors[:, -5:] @ [1.0, -2.0, 0.5, 1.0, 3.0] + 4.0
    a = vectors.T @ (f - f.mean())
    for one in theory.smoothness(S, f, [0.5, 1, 2.5]):
        norm = (a[-5:] ** 2 / values[-5:] ** one.p).sum() / 30
        close(one.norm.squared, norm)
        close(one.ratio, f.var() / norm)
        close(one.variance, f.var())
    close(theory.poincare_constants(S, 2, 3), values[:-4:-1] ** 2)
    (one,) = theory.smoothness(S, np.full(30, 2.0), 1)
    assert np.isnan(one.ratio) and one.variance < 1e-20
    assert [one.p for one in theory.smoothness(S, f)] == [1, 2, 4]


def test_functions_outside_of_the_space(points):
    X = points[0]
    S = stkr.gram.points(X, "linear")
    close(theory.rkhs_norm(S, X[:, 0], 1).squared, 1)  # ‖<w, ·>‖²_K = ‖w‖²
    f = X[:, 0] ** 2
    norm = theory.rkhs_norm(S, f, 1)
    assert norm.squared == np.inf and norm.outside > 0.1
    with pytest.raises(ValueError, match="outside of the space"):
        theory.rkhs_inner_product(S, f, f, 1)


@pytest.mark.parametrize("s, exact", TRANSFORMS)
def test_transformed_kernels_of_known_and_new_samples(points, S, s, exact):
    X, K, values, vectors = points
    Z = np.random.default_rng(4).standard_normal((4, 3))
    V, A = rbf(Z, X, 0.7), rbf(Z, Z, 0.7)
    slope = {0.5: 0, 1: 1, 2.5: 0}.get(s if np.isscalar(s) else None, None)
    if slope is None:
        slope = (exact(1e-8) - exact(-1e-8)) / 2e-8
    h = (exact(values) - slope * values) / values**2
    q = exact(values) / values
    expected = np.block([
        [(30 * vectors * exact(values) @ vectors.T)[np.ix_([3, 7], [3, 7])],
         (vectors * q @ vectors.T)[[3, 7]] @ V.T],
        [V @ (vectors * q @ vectors.T)[:, [3, 7]],
         slope * A + V @ (vectors * h @ vectors.T) @ V.T / 30],
    ])
    found = theory.transformed_kernel(S, s, known=[3, 7], new=Z)
    close(found.values, expected, 1e-7)
    assert found.converged and found.error < 1e-8
    diagonal = np.diag(expected)
    squares = diagonal[:, None] + diagonal - 2 * expected
    if np.isscalar(s) and not isinstance(s, str):
        distances = theory.diffusion_distances(S, s, known=[3, 7], new=Z)
        close(distances**2, np.maximum(squares, 0), 1e-7)


def test_new_samples_by_kernel_rows_edges_and_functions(points, ring):
    X, K, values, vectors = points
    Z = np.random.default_rng(4).standard_normal((4, 3))
    V, A = rbf(Z, X, 0.7), rbf(Z, Z, 0.7)
    expected = V @ K @ V.T / 30**2
    by_rows = stkr.gram.precomputed(K)
    close(theory.transformed_kernel(by_rows, 3, new=V).values, expected)
    close(theory.transformed_kernel(by_rows, 1, new=V, among=A).values, A)
    by_function = stkr.gram.points(X, lambda a, b: rbf(a, b, 0.7))
    close(theory.transformed_kernel(by_function, 3, new=Z).values, expected)
    with pytest.raises(ValueError, match="among"):
        theory.transformed_kernel(by_rows, 1, new=V)
    # A node presented again as new has its edges: the distance to the others is its own.
    S = stkr.gram.graph(ring, "symmetric")
    edges = ring[[5]]
    distances = theory.diffusion_distances(S, 4, known=range(40), new=edges)
    close(distances[40, :40], distances[5, :40], 1e-7)


def test_an_estimator_is_as_good_as_a_gram(points, S, fitted):
    X, K, values, vectors = points
    Z = np.random.default_rng(4).standard_normal((4, 3))
    f = vectors @ values
    close(theory.rkhs_norm(fitted, f).squared, theory.rkhs_norm(S, f, 2).squared)
    close(theory.rkhs_norm(fitted, f, 1).squared, theory.rkhs_norm(S, f, 1).squared)
    close(theory.transformed_kernel(fitted, new=Z).values,
          theory.transformed_kernel(S, 2, new=Z).values)
    G = (K @ K / 30)[:8, :8]
    n_beta = 8 * fitted.beta_
    close(theory.effective_dimension(fitted).value,
          np.trace(G @ np.linalg.inv(G + n_beta * np.eye(8))))
    assert theory.kernel_bound(fitted).kappa_squared == pytest.approx(1)
    with pytest.raises(ValueError, match="weight 0"):
        weights = np.ones(30)
        weights[20] = 0
        y = np.where(np.arange(30) < 8, np.sin(X[:, 0]), np.nan)
        light = stkr.STKRRegressor("rbf", length_scale=0.7, power=2, ridge=0.1)
        theory.transformed_kernel(light.fit(X, y, sample_weight=weights), 2, known=[3])


def test_spectra(points, S):
    _, _, values, _ = points
    density = theory.spectral_density(S)
    assert density.exact and density.size == 30
    close(density.trace(lambda x: x * x).value, (values**2).sum())
    close(float(density.count_above(0.01)), (values > 0.01).sum())
    close([density.smallest, density.largest], [values[0], values[-1]])
    rough = theory.spectral_density(S, exact_below=1, steps=30, probes=40)
    found = rough.trace(lambda x: x)
    assert abs(found.value - 1) <= 4 * found.standard_error + 1e-6
    assert "40 random vectors" in repr(rough)
    close(theory.effective_dimension(S, 2, beta=0.01).value,
          (values**2 / (values**2 + 0.01)).sum())
    decay = theory.eigenvalue_decay(S, 1)
    positive = np.sort(values)[::-1]
    positive = positive[positive > 1e-10 * positive[0]]
    slope = np.polyfit(np.log(np.arange(1, len(positive) + 1)), np.log(positive), 1)[0]
    close(decay.fitted, -1 / slope, 1e-6)
    assert 0 < decay.p <= 1 and decay.used == len(positive)


def test_definiteness(S, ring):
    assert theory.definiteness(S).semidefinite
    found = theory.definiteness(stkr.gram.graph(ring, "symmetric"))
    D = np.asarray(ring.sum(axis=1))[:, 0]
    values = np.linalg.eigvalsh(ring.toarray() / np.sqrt(D[:, None] * D))
    assert not found.semidefinite and "lazy" in found.remedy
    close([found.smallest, found.largest], [values[0], values[-1]])
    close(found.negative.value, (values < -1e-12).mean())


def test_kernels_that_are_not_semidefinite(ring):
    S = stkr.gram.graph(ring, "symmetric")
    with pytest.raises(ValueError, match="not positive semidefinite"):
        theory.diffusion_distances(S, 1, known=range(40))
    with pytest.raises(ValueError, match="p < 1 needs a positive semidefinite kernel"):
        theory.diffusion_distances(S, 0.5, known=[0, 1])
    assert theory.diffusion_distances(S, 2, known=[0, 1]).shape == (2, 2)
    f = np.sign(np.arange(40) % 2 - 0.5)  # of an eigenvalue near -1
    assert theory.rkhs_norm(S, f, 1).squared == np.inf
    assert theory.rkhs_norm(S, f, 2).squared < np.inf


def test_discriminant():
    rng = np.random.default_rng(5)
    scores, classes = rng.standard_normal((20, 2)), np.array(["a", "b", ""] * 6 + ["c", "c"])
    known = classes != ""
    x, c = scores[known], classes[known]
    T = (x - x.mean(0)).T @ (x - x.mean(0))
    means = np.array([x[c == k].mean(0) for k in c])
    B = (means - x.mean(0)).T @ (means - x.mean(0))
    found = theory.discriminant(scores, classes)
    close(found.share, np.diag(B) / np.diag(T))
    close(found.overall, np.trace(B) / np.trace(T))
    close(found.ratio_trace, np.trace(np.linalg.inv(T) @ B))
    assert found.classes == 3
    codes = np.where(known, np.searchsorted(["a", "b", "c"], classes), -1)
    close(theory.discriminant(scores, codes).share, found.share)


@pytest.mark.parametrize("call, message", [
    (lambda S: theory.rkhs_norm(np.eye(30), np.ones(30), 1), "expected a Gram"),
    (lambda S: theory.rkhs_norm(S, np.ones(29), 1), "expected 30 real numbers"),
    (lambda S: theory.rkhs_norm(S, np.ones((30, 1)), 1), "expected 30 real numbers"),
    (lambda S: theory.rkhs_norm(S, np.full(30, np.nan), 1), "is nan; expected a finite"),
    (lambda S: theory.rkhs_norm(S, np.ones(30), 0), "p=0"),
    (lambda S: theory.rkhs_norm(S, np.ones(30)), "spectral_transform is missing"),
    (lambda S: theory.rkhs_norm(S, np.ones(30), "auto"), "open parameters"),
    (lambda S: theory.rkhs_norm(S, np.ones(30), "inverse_laplacian"), "open parameters"),
    (lambda S: theory.rkhs_norm(S, np.ones(30), "poisson(1)"), "Poisson"),
    (lambda S: theory.rkhs_norm(S, ["a"] * 30, 1), "expected 30 real numbers"),
    (lambda S: theory.rkhs_inner_product(S, np.ones(30), np.ones(3), 1), "g is an array"),
    (lambda S: theory.smoothness(S, np.ones(30), []), "empty"),
    (lambda S: theory.smoothness(S, np.ones(30), [-1]), "scales=-1"),
    (lambda S: theory.poincare_constants(S, 1, 31), "expected at most 30"),
    (lambda S: theory.transformed_kernel(S, 2), "no samples"),
    (lambda S: theory.transformed_kernel(S, 2, known=[30]), "30"),
    (lambda S: theory.transformed_kernel(S, 2, known=[0], among=np.eye(1)), "there are none"),
    (lambda S: theory.transformed_kernel(S, 2, new=np.ones((1, 2))), "2"),
    (lambda S: theory.transformed_kernel(S, 0.5, known=[0], dense_below=10), "30 samples"),
    (lambda S: theory.diffusion_distances(S, "power(2)", known=[0]), "p='power"),
    (lambda S: theory.effective_dimension(S, 2), "beta is missing"),
    (lambda S: theory.effective_dimension(S, 2, beta=-1), "beta=-1"),
    (lambda S: theory.spectral_density(S, probes=1), "probe"),
    (lambda S: theory.kernel_bound(S, most=0), "most=0"),
    (lambda S: theory.discriminant(np.ones((3, 2)), [0, 1]), "3"),
    (lambda S: theory.discriminant(np.ones(3), np.zeros((3, 1))), "dimensions"),
])
def test_bad_input(S, call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(S)


def test_other_estimators_have_no_system(moons):
    X, y, labeled = moons
    for model in (stkr.KernelPCAProbe(), stkr.LabelSpreading("knn")):
        model.fit(X, y, labeled=labeled)
        with pytest.raises(TypeError, match="expected a Gram"):
            theory.kernel_bound(model)
    with pytest.raises(ValueError, match="average"):
        theory.cross_fit(stkr.STKRClassifier().fit(X, y, labeled=labeled))
