"""Shared data, and the dense reference implementation that tests compare with."""

import os
import shutil

import numpy as np
import pytest
from sklearn.datasets import load_digits

import stkr


@pytest.fixture(scope="session")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400], y[:400]


@pytest.fixture
def moons():
    """Two half circles, three labels each: X, the classes of all samples, and the labeled ones."""
    rng = np.random.default_rng(3)
    angle = rng.uniform(0, np.pi, 120)
    upper = np.arange(120) % 2 == 0
    X = np.where(
        upper[:, None],
        np.stack([np.cos(angle), np.sin(angle)], 1),
        np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], 1),
    )
    X += 0.05 * rng.standard_normal(X.shape)
    return X, upper.astype(int), np.arange(6)


@pytest.fixture
def ring():
    """A weighted graph: two rings of 20 nodes joined by one weak edge."""
    import scipy.sparse

    nodes = np.arange(20)
    rows = np.concatenate([nodes, nodes + 20, [0]])
    columns = np.concatenate([(nodes + 1) % 20, (nodes + 1) % 20 + 20, [20]])
    weights = np.concatenate([np.full(40, 1.0), [0.1]])
    half = scipy.sparse.coo_matrix((weights, (rows, columns)), shape=(40, 40))
    return (half + half.T).tocsr()


@pytest.fixture(scope="session")
def command():
    """The stkr command of the same build."""
    path = os.environ.get("STKR_COMMAND") or shutil.which("stkr")
    if not path:
        pytest.skip("the stkr command is not built; set STKR_COMMAND to its path")
    return path


class DenseReference:
    """The paper's closed form, in NumPy."""

    def __init__(self, K):
        self.K = K
        self.N = len(K)
        self.values, self.vectors = np.linalg.eigh(K / self.N)

    def transformed(self, s):
        """K_s."""
        return self.N * (self.vectors * s(self.values) @ self.vectors.T)

    def fit(self, s, labeled, y, beta=None, *, ridge=None, constant=False):
        """Return c and f̂ of spectrally transformed kernel regression; f̂ includes the constant."""
        nonzero = np.abs(self.values) > 1e-12
        g = np.zeros_like(self.values)
        g[nonzero] = s(self.values[nonzero]) / self.values[nonzero]
        G = self.vectors * g @ self.vectors.T
        Ks = self.N * (self.vectors * (g * self.values) @ self.vectors.T)
        alpha, b = ridge_regression(Ks[np.ix_(labeled, labeled)], y, beta, ridge, constant)
        c = G[:, labeled] @ alpha
        return c, b + self.K @ c


def ridge_unit(G):
    """nβ of a relative ridge of 1: the mean diagonal of G, at eight labels if more than 32."""
    n = len(G)
    count = n if n <= 32 else 8
    return np.mean([G[k * n // count, k * n // count] for k in range(count)])


def ridge_regression(G, y, beta=None, ridge=None, constant=False):
    """Return α and b of (G + nβI) α = y - b."""
    n = len(G)
    A = G + (n * beta if ridge is None else ridge * ridge_unit(G)) * np.eye(n)
    b = 0.0
    if constant:
        one = np.linalg.solve(A, np.ones(n))
        b = one @ y / one.sum()
    return np.linalg.solve(A, y - b), b


@pytest.fixture
def reference():
    return DenseReference


def rbf(X, Y, length_scale):
    squares = ((X[:, None, :] - Y[None, :, :]) ** 2).sum(-1)
    return np.exp(-squares / (2 * length_scale**2))


CLASSIFIERS = ["STKRClassifier", "KernelPCAProbe", "LabelSpreading", "STKRClassifierCV"]
REGRESSORS = [
    "STKRRegressor",
    "KernelPCARegressor",
    "LabelSpreadingRegressor",
    "STKRRegressorCV",
]
ESTIMATORS = CLASSIFIERS + REGRESSORS


def make(name, kernel="rbf", **parameters):
    """Create an estimator by name; those that select get a small grid."""
    if name.endswith("CV"):
        small = {"betas": [1e-2], "cv": 2}
        if "families" not in parameters:
            small |= {"families": ["power"], "powers": [2]}
        parameters = {**small, **parameters}
    return getattr(stkr, name)(kernel, **parameters)


def r2_score(truth, values):
    return 1 - ((truth - values) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
