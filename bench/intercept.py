#!/usr/bin/python3
"""Effect of an unpenalized constant per class on classification accuracy, in dense NumPy.

    OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/intercept.py --data DIR [--json FILE]

STKR with A = G_{K_s,n} + n beta I, the block of the transformed kernel for the n labeled samples plus the
ridge, and one column of 0 and 1 per class:

    none     f = K_s(., labeled) A^-1 y
    free     f = b + K_s(., labeled) A^-1 (y - b),  b = 1'A^-1 y / 1'A^-1 1, the minimizer of the ridge
             objective with an unpenalized constant
    mean     the same with b the mean of the labeled y, the share of the class among the labels

The inverse Laplacian with eta = 0.99 and n beta = rho tr(G)/n, so that rho has the same meaning for
every kernel. Kernels: the lazy walk on ten neighbors with self-tuned weights (for Cora and CiteSeer on
the given graph), and RBF divided by its degrees with half the median distance to the tenth neighbor as
its length scale (for Cora and CiteSeer on the words, scaled to unit length).

Label draws, ten per class (25 for two classes): `balanced`; `random`, as many in total, drawn from all
samples, with every class at least once; `skewed`, balanced but with a quarter as many labels in every
second class. The score is the accuracy on the unlabeled samples. The script does not use stkr and takes
about a minute.
"""

import argparse
import json
import os
import pathlib
import time

import numpy as np
import scipy.linalg
import scipy.sparse
from sklearn.datasets import load_digits

ETA = 0.99
NEIGHBORS = 10
SCALE_NEIGHBOR = 7  # for self-tuned weights
SETS = ("digits", "mnist", "g50c", "digit1", "coil2", "g241c", "bci", "cora", "citeseer")
DRAWS = ("balanced", "random", "skewed")
WAYS = ("none", "free", "mean")


def squared_distances(x):
    squares = np.einsum("ij,ij->i", x, x)
    d = squares[:, None] + squares[None] - 2.0 * x @ x.T
    np.maximum(d, 0.0, out=d)
    np.fill_diagonal(d, 0.0)
    return d


def lazy_walk(w):
    """(I + D^-1/2 W D^-1/2)/2; a sample without edges has only its diagonal entry."""
    degree = w.sum(axis=1)
    root = np.where(degree > 0, 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)), 0.0)
    return 0.5 * (np.eye(len(w)) + root[:, None] * w * root[None])


def neighbor_walk(d):
    nearest = np.argsort(d + np.diag(np.full(len(d), np.inf)), axis=1)[:, :NEIGHBORS]
    scale = np.sqrt(np.take_along_axis(d, nearest[:, [SCALE_NEIGHBOR - 1]], axis=1))[:, 0]
    edge = np.zeros(d.shape, bool)
    np.put_along_axis(edge, nearest, True, axis=1)
    w = np.where(edge | edge.T, np.exp(-d / np.maximum(np.outer(scale, scale), 1e-300)), 0.0)
    return lazy_walk(w)


def degree_normalized_rbf(d):
    tenth = np.sqrt(np.partition(d, NEIGHBORS, axis=1)[:, NEIGHBORS])
    k = np.exp(-d / (2.0 * (np.median(tenth) / 2.0) ** 2))
    root = 1.0 / np.sqrt(k.sum(axis=1))
    return root[:, None] * k * root[None]


def load(name, data, size):
    """Labels, and a function that makes S = K/N for each kernel."""
    random = np.random.default_rng(0)
    if name in ("cora", "citeseer"):
        g = np.load(data / f"{name}.npz")
        w = scipy.sparse.csr_matrix((g["adj_data"], g["adj_indices"], g["adj_indptr"]), g["adj_shape"])
        f = np.load(data / f"{name}_features.npz")
        words = scipy.sparse.csr_matrix((f["X_data"], f["X_indices"], f["X_indptr"]), f["X_shape"])

        def distances():
            x = words.toarray().astype(float)
            length = np.linalg.norm(x, axis=1)
            d = squared_distances(x / np.maximum(length, 1e-300)[:, None])
            # A text without words shares none with the others: it gets the distance of disjoint texts.
            d[length == 0], d[:, length == 0] = 2.0, 2.0
            np.fill_diagonal(d, 0.0)
            return d

        return g["labels"], {"walk": lambda: lazy_walk(w.toarray().astype(float)),
                             "rbf": lambda: degree_normalized_rbf(distances())}
    if name == "digits":
        x, y = load_digits(return_X_y=True)
    elif name == "mnist":
        x, y = (np.load(data / "mnist_test.npz")[key] for key in ("X", "labels"))
    else:
        file = np.load(data / ("g50c.npz" if name == "g50c" else f"ssl_{name}.npz"))
        x, y = file["X"], file["labels"]
    some = np.sort(random.permutation(len(y))[:size])
    x, y = x[some].astype(float), np.unique(y[some], return_inverse=True)[1]
    return y, {"walk": lambda: neighbor_walk(squared_distances(x)),
               "rbf": lambda: degree_normalized_rbf(squared_distances(x))}


def draw(kind, y, random):
    classes = np.unique(y)
    each = 25 if len(classes) == 2 else 10
    if kind == "random":
        while True:
            rows = random.choice(len(y), each * len(classes), replace=False)
            if len(np.unique(y[rows])) == len(classes):
                return rows
    counts = [each if kind == "balanced" or c % 2 == 0 else max(1, each // 4)
              for c in range(len(classes))]
    return np.concatenate([random.choice(np.flatnonzero(y == c), count, replace=False)
                           for c, count in zip(classes, counts)])


def accuracies(columns, y, labeled, rho):
    """Accuracies of the three methods; columns: K_s(., labeled)."""
    gram = columns[labeled]
    gram = 0.5 * (gram + gram.T)
    n = len(labeled)
    factor = scipy.linalg.cho_factor(gram + rho * np.trace(gram) / n * np.eye(n))
    target = (y[labeled][:, None] == np.unique(y)[None]).astype(float)
    one = scipy.linalg.cho_solve(factor, np.ones(n))
    hidden = np.setdiff1d(np.arange(len(y)), labeled)
    found = []
    for constant in (np.zeros(target.shape[1]), one @ target / one.sum(), target.mean(axis=0)):
        f = constant + columns[hidden] @ scipy.linalg.cho_solve(factor, target - constant)
        found.append(float(np.mean(np.argmax(f, axis=1) == y[hidden])))
    return found


def measure(options):
    """{(kernel, rho, draws, set): rows of accuracies, one per draw}"""
    results = {}
    for name in options.sets:
        start = time.perf_counter()
        y, kernels = load(name, options.data, options.size)
        for kernel, make in kernels.items():
            s = make()
            factor = scipy.linalg.cho_factor(np.eye(len(y)) - ETA * s, check_finite=False)
            for kind in DRAWS:
                random = np.random.default_rng(1)  # the same draws for every kernel
                for _ in range(options.draws):
                    labeled = draw(kind, y, random)
                    columns = len(y) * scipy.linalg.cho_solve(factor, s[:, labeled], check_finite=False)
                    for rho in options.rhos:
                        results.setdefault((kernel, rho, kind, name), []).append(
                            accuracies(columns, y, labeled, rho))
        print(f"{name}: {len(y):,} samples, {time.perf_counter() - start:.1f} s", flush=True)
    return results


def cell(accuracy, gain):
    """Mean accuracy in percent; for a gain, its mean over draws with standard error."""
    if gain is None:
        return f"{100 * accuracy.mean():.1f}"
    error = gain.std(ddof=1) / len(gain) ** 0.5 if len(gain) > 1 else 0.0
    return f"{100 * gain.mean():+.1f} ± {100 * error:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        required="STKR_DATA" not in os.environ)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--draws", default=10, type=int)
    parser.add_argument("--rhos", nargs="+", default=[0.001, 0.1], type=float)
    parser.add_argument("--size", default=1500, type=int, help="the most samples per point set")
    parser.add_argument("--json", type=pathlib.Path, help="write all accuracies to this file")
    options = parser.parse_args()
    results = measure(options)

    groups = list(dict.fromkeys(key[:3] for key in results))
    print("\nAccuracy in percent without a constant, and the gain of a free constant (or the mean of the "
          "labels) in percentage points\n± standard error of the paired difference over the draws.\n")
    print("| kernel, rho, draws | method | " + " | ".join(options.sets) + " | mean |")
    print("| --- | --- |" + " --- |" * (len(options.sets) + 1))
    for kernel, rho, kind in sorted(groups, key=lambda g: (g[0] != "walk", g[1], DRAWS.index(g[2]))):
        rows = [np.array(results[kernel, rho, kind, name]) for name in options.sets]
        for way, title in enumerate(WAYS):
            cells = [cell(r[:, way], None if way == 0 else r[:, way] - r[:, 0]) for r in rows]
            means = np.mean([r.mean(axis=0) for r in rows], axis=0)
            last = means[0] if way == 0 else means[way] - means[0]
            head = f"{kernel}, {rho:g}, {kind}" if way == 0 else ""
            print(f"| {head} | {title} | " + " | ".join(cells)
                  + f" | {100 * last:{'.1f' if way == 0 else '+.1f'}} |")
    every = {key: np.array(rows) for key, rows in results.items()}
    for way in (1, 2):
        gains = np.array([(r[:, way] - r[:, 0]).mean() for r in every.values()])
        print(f"\n{WAYS[way]}: better in {np.sum(gains > 0)} of {len(gains)} cells, worse in "
              f"{np.sum(gains < 0)}; mean {100 * gains.mean():+.2f}, worst {100 * gains.min():+.1f}, "
              f"best {100 * gains.max():+.1f} points")
    if options.json:
        options.json.write_text(json.dumps(
            {f"{k}, {r:g}, {d}, {n}": rows for (k, r, d, n), rows in results.items()}, indent=1))


if __name__ == "__main__":
    main()
