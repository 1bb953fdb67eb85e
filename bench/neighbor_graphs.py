#!/usr/bin/python3
"""Neighbor graphs for points of many dimensions: what would make predictions from few labels better?

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/neighbor_graphs.py --data DIR --draws 10

Graphs made here, in NumPy, with the weights exp(-4 d²/s²) of `STKRClassifier()` unless stated, where s is the
distance to the k-th neighbor; Poisson learning on each (ridge 1), random labels, the same for all graphs. k: 10, or
log₂ N if that is more. More than 100 features are reduced to 50 principal components first.

- usual: k neighbors.
- 7, 25: so many neighbors.
- product: weights exp(-d²/(s_i s_j)) (Zelnik-Manor and Perona).
- added: the weights of both directions are added.
- cosine: rows of length 1 first.
- smoothed: every point is moved halfway to the weighted mean of its neighbors, and neighbors are searched again.
- cosine, smoothed: both.
- two graphs: the sums of the usual graph and that of cosines, or of smoothed points.

Prints the mean accuracy in percent and the difference to the usual graph with its standard error.
"""

import argparse
import pathlib
import warnings

import numpy as np
import scipy.sparse
import stkr
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

BATCH = 2000


def load(name, folder):
    if name == "digits":
        return load_digits(return_X_y=True)
    if name.startswith("mnist"):  # mnist5000: so many of the training digits
        data = np.load(folder / "mnist_train_1of3.npz")
        return data["X"][:int(name[5:])] / 255.0, data["labels"][:int(name[5:])]
    data = np.load(folder / f"{name}.npz")
    return data["X"], np.unique(data["labels"], return_inverse=True)[1]


def nearest(x, k):
    """Indices and squared distances of the k nearest other points, the nearest first."""
    squares = (x * x).sum(axis=1)
    index, distance = np.empty((len(x), k), int), np.empty((len(x), k))
    for first in range(0, len(x), BATCH):
        rows = slice(first, min(first + BATCH, len(x)))
        d = squares[rows, None] + squares[None] - 2 * x[rows] @ x.T
        d[np.arange(len(d)), np.arange(rows.start, rows.stop)] = np.inf
        found = np.argpartition(d, k, axis=1)[:, :k]
        values = np.take_along_axis(d, found, 1)
        order = values.argsort(axis=1)
        index[rows] = np.take_along_axis(found, order, 1)
        distance[rows] = np.maximum(np.take_along_axis(values, order, 1), 0)
    return index, distance


def graph(x, k, product=False, added=False):
    index, distance = nearest(x, k)
    scale = np.sqrt(distance[:, -1]) + 1e-12
    if product:
        weight = np.exp(-distance / (scale[:, None] * scale[index]))
    else:
        weight = np.exp(-4 * distance / scale[:, None] ** 2)
    rows = np.repeat(np.arange(len(x)), k)
    one_way = scipy.sparse.csr_matrix((weight.ravel(), (rows, index.ravel())), shape=(len(x), len(x)))
    return one_way + one_way.T if added else one_way.maximum(one_way.T)


def reduced(x):
    return (PCA(50, random_state=0).fit_transform(x) if x.shape[1] > 100 else x).astype(np.float32)


def smoothed(x, k):
    weights = graph(x, k, product=True)
    means = scipy.sparse.diags(1 / np.asarray(weights.sum(axis=1)).ravel()) @ (weights @ x)
    return (0.5 * x + 0.5 * means).astype(np.float32)


def graphs(x):
    k = max(10, int(np.ceil(np.log2(len(x)))))
    plain = reduced(x)
    cosine = reduced(x / (np.linalg.norm(x, axis=1, keepdims=True) + 1e-12))
    usual = graph(plain, k)
    yield "usual", usual
    yield "7", graph(plain, 7)
    yield "25", graph(plain, 25)
    yield "product", graph(plain, k, product=True)
    yield "added", graph(plain, k, product=True, added=True)
    yield "cosine", graph(cosine, k)
    yield "smoothed", graph(smoothed(plain, k), k)
    yield "cosine, smoothed", graph(smoothed(cosine, k), k)
    yield "two graphs: cosine", usual + graph(cosine, k)
    yield "two graphs: smoothed", usual + graph(smoothed(plain, k), k)


def accuracy(weights, y, per_class, seed):
    random = np.random.RandomState(seed)
    labeled = np.concatenate([random.choice(np.flatnonzero(y == c), per_class, replace=False)
                              for c in np.unique(y)])
    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]
    model = stkr.STKRClassifier("graph", spectral_transform="poisson", ridge=1.0).fit(weights, partial)
    rest = np.setdiff1d(np.arange(len(y)), labeled)
    return 100 * np.mean(model.transduction_[rest] == y[rest])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--per-class", type=int, default=10)
    parser.add_argument("--sets", nargs="+", default=["digits", "ssl_digit1", "mnist5000"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.sets:
        x, y = load(name, arguments.data)
        usual = None
        for kind, weights in graphs(np.asarray(x, float)):
            found = np.array([accuracy(weights, y, arguments.per_class, seed)
                              for seed in range(arguments.draws)])
            usual = found if usual is None else usual
            gain = found - usual
            print(f"{name}, {kind}: {found.mean():.2f}, {gain.mean():+.2f} ± "
                  f"{gain.std(ddof=1) / len(gain) ** 0.5:.2f}", flush=True)


if __name__ == "__main__":
    main()
