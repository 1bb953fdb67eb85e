"""Shared code of the comparisons with scikit-learn: label draws, graphs, LabelSpreading on a given graph,
results that survive an interrupted run, and tables."""

import dataclasses
import hashlib
import json
import os
import pathlib
import statistics
import time
import warnings

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelSpreading

NEIGHBORS = 10
SCALE_NEIGHBOR = 7  # for self-tuned weights: exp(-d^2/(s s')), s the distance to that neighbor
ALPHAS = (0.2, 0.9, 0.98, 0.99)  # the first is scikit-learn's default
STEPS = 1000  # max_iter of LabelSpreading; its default of 30 stops far from convergence


def load_mnist(folder):
    """Points in [0, 1] and labels: 60,000 for training, then 10,000 for testing."""
    parts = [np.load(folder / f"mnist_{name}.npz")
             for name in ("train_1of3", "train_2of3", "train_3of3", "test")]
    x = np.concatenate([part["X"] for part in parts]).astype(np.float32) / np.float32(255)
    return x, np.concatenate([part["labels"] for part in parts])


def draw(y, per_class, random):
    """That many random samples per class."""
    return np.concatenate([random.choice(np.flatnonzero(y == c), per_class, replace=False)
                           for c in np.unique(y)])


def seconds(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def read_graph(path):
    """A graph written by `stkr graph`."""
    g = np.load(path)
    return scipy.sparse.csr_matrix((g["adj_data"], g["adj_indices"], g["adj_indptr"]),
                                   shape=g["adj_shape"])


class Neighbors:
    """scikit-learn's neighbors of training points and of new points, each searched once."""

    def __init__(self, x, threads):
        # A point is its own first neighbor, so eleven neighbors include ten others.
        self.index = NearestNeighbors(n_neighbors=NEIGHBORS + 1, n_jobs=threads).fit(x)
        self.count = len(x)
        self.seconds, (self.distances, self.indices) = seconds(lambda: self.index.kneighbors(x))

    def graph(self):
        """The graph of LabelSpreading(kernel="knn", n_neighbors=11): directed, all weights 1."""
        rows = np.repeat(np.arange(self.count), NEIGHBORS + 1)
        return scipy.sparse.csr_matrix((np.ones(rows.size), (rows, self.indices.ravel())),
                                       shape=(self.count, self.count))

    def place(self, new):
        """Edges of new points to the training points: with weight 1 to the nearest 11, as
        LabelSpreading uses for prediction, and self-tuned to the nearest 10, as in stkr's graph."""
        distances, indices = self.index.kneighbors(new)
        rows = np.repeat(np.arange(len(new)), NEIGHBORS + 1)
        shape = (len(new), self.count)
        ones = scipy.sparse.csr_matrix((np.ones(rows.size), (rows, indices.ravel())), shape=shape)
        scale = self.distances[:, SCALE_NEIGHBOR]  # the point itself is number 0
        d, i = distances[:, :NEIGHBORS], indices[:, :NEIGHBORS]
        weights = np.exp(-d ** 2 / np.maximum(d[:, [SCALE_NEIGHBOR - 1]] * scale[i], 1e-300))
        rows = np.repeat(np.arange(len(new)), NEIGHBORS)
        tuned = scipy.sparse.csr_matrix((weights.ravel(), (rows, i.ravel())), shape=shape)
        return ones, tuned


def symmetric(graph):
    """Edges in either direction, without self-loops."""
    both = graph.maximum(graph.T)
    both = scipy.sparse.csr_matrix(both - scipy.sparse.diags(both.diagonal()))
    both.eliminate_zeros()
    return both


@dataclasses.dataclass
class Spread:
    """Result of scikit-learn's LabelSpreading: predictions for all samples and for new samples, the number
    of steps, whether it converged, and seconds."""
    answers: np.ndarray
    new: np.ndarray | None
    steps: int
    converged: bool
    fit: float
    predict: float


def spread(graph, labels, alpha, cross=None):
    """scikit-learn's LabelSpreading on a precomputed graph. labels: -1 if hidden; cross: edges of new
    samples, one row per sample."""
    def kernel(a, b):
        return graph if a is b else cross.T

    # The kernel is precomputed, so the points are not used: their indices are enough.
    x = np.arange(len(labels), dtype=float)[:, None]
    model = LabelSpreading(kernel=kernel, alpha=alpha, max_iter=STEPS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit, _ = seconds(lambda: model.fit(x, labels))
        predict, new = 0.0, None
        if cross is not None:
            predict, new = seconds(lambda: model.predict(np.zeros((cross.shape[0], 1))))
    converged = not any(issubclass(w.category, ConvergenceWarning) for w in caught)
    return Spread(model.transduction_, new, model.n_iter_, converged, fit, predict)


def digest(path):
    """Identifies a build."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:12]


class Results:
    """Measurements by name, saved to a file after each: a restarted run resumes where the last one stopped,
    if it has the same settings, including the digest of the measured program."""

    def __init__(self, path, **settings):
        self.path, self.settings, self.values = path, json.loads(json.dumps(settings)), {}
        if path and path.exists():
            kept = json.loads(path.read_text())
            if kept["settings"] != self.settings:
                raise SystemExit(f"{path} contains results for other settings: {kept['settings']}, now "
                                 f"{self.settings}; remove it, or give another file with --json")
            self.values = kept["values"]

    def measure(self, name, function):
        """The value stored under this name, or else the value of the function."""
        if name not in self.values:
            self.values[name] = function()
            if self.path:
                part = self.path.with_suffix(".part")
                part.write_text(json.dumps({"settings": self.settings, "values": self.values}, indent=1))
                os.replace(part, self.path)
        return self.values[name]


def percent(values, sign=False):
    """Mean in percent, ± its standard error if there are several values."""
    text = f"{100 * statistics.mean(values):{'+' if sign else ''}.1f}"
    if len(values) > 1:
        text += f" ± {100 * statistics.stdev(values) / len(values) ** 0.5:.1f}"
    return text


def difference(a, b):
    """Paired difference of two methods on the same draws, in percentage points ± standard error."""
    return percent([x - y for x, y in zip(a, b, strict=True)], sign=True)


def markdown(cells):
    """A table from rows of text; the first row is the header."""
    lines = [" | ".join(row) for row in [cells[0], ["---"] * len(cells[0]), *cells[1:]]]
    return "\n".join(f"| {line} |" for line in lines)
