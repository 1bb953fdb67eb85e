#!/usr/bin/python3
"""The measurements behind stkr's defaults: length scales, d of kernel PCA, eta of label propagation.

    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/defaults.py --data DIR

1. Rules for the length scale of an RBF kernel in classification: accuracy on hidden labels of STKR with
   the inverse Laplacian (eta = 0.99/lambda_1) and two relative ridges, in dense NumPy, 700 samples per
   set, the same draws for every rule. d10 is the median distance to the 10th neighbor; for "n
   neighbors", the median over samples of the sum of the other kernel values is n.
2. d of kernel PCA with the default ridge, on UCI digits with ten labels per class.
3. eta of label propagation, in units of 1/lambda_1: accuracy on hidden labels, the mean over draws and,
   in brackets, the worst draw. Citation and purchase graphs, and block models: "parties" is two blocks
   of 600 nodes with degrees over two decades, as in blog graphs, and a tenth of all edges between the
   blocks; points with the 10-neighbor graph and with the default RBF kernel.
4. Noise-free functions: R2 on new points of STKRRegressor(), and of KernelRidge and KNeighborsRegressor
   on the labeled points only, both tuned by five-fold cross-validation.

The rules were chosen on these sets, so the gains on them are somewhat optimistic. Prints tables; --only
selects one of them: scales, dimensions, propagation, numbers.
"""

import argparse
import pathlib
import warnings

import numpy as np
import scipy.sparse
from sklearn.datasets import load_digits
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor

import stkr

SETS = ("digits", "mnist", "g50c", "digit1", "coil2", "g241c", "bci")
RIDGES = (1e-3, 0.1)


def load(name, folder):
    if name == "digits":
        x, y = load_digits(return_X_y=True)
    elif name == "mnist":
        data = np.load(folder / "mnist_test.npz")
        x, y = data["X"] / 255.0, data["labels"]
    else:
        data = np.load(folder / (f"{name}.npz" if name == "g50c" else f"ssl_{name}.npz"))
        x, y = data["X"].astype(float), data["labels"]
    keep = np.random.default_rng(0).permutation(len(y))[:700]
    return x[keep], np.unique(y[keep], return_inverse=True)[1]


def neighbors_scale(squares, wanted):
    """The length scale at which a median sample has that many effective neighbors."""
    squares = squares.copy()
    np.fill_diagonal(squares, np.inf)
    unit = np.sqrt(np.median(squares))
    low, high = 1e-4 * unit, 1e2 * unit
    for _ in range(50):
        middle = np.sqrt(low * high)
        few = np.median(np.exp(-squares / (2 * middle**2)).sum(1)) < wanted
        low, high = (middle, high) if few else (low, middle)
    return middle


def transformed(squares, scale, eta=0.99):
    """K_s of the degree-normalized RBF kernel."""
    kernel = np.exp(-squares / (2 * scale**2))
    degree = kernel.mean(1)
    s = kernel / np.sqrt(np.outer(degree, degree)) / len(kernel)
    return len(kernel) * np.linalg.solve(np.eye(len(kernel)) - eta * s, s)


def accuracy(kernel, y, labeled, ridge):
    g = kernel[np.ix_(labeled, labeled)]
    a = g + ridge * np.trace(g) / len(labeled) * np.eye(len(labeled))
    f = kernel[:, labeled] @ np.linalg.solve(a, np.eye(y.max() + 1)[y[labeled]])
    hidden = np.setdiff1d(np.arange(len(y)), labeled)
    return 100 * np.mean(f.argmax(1)[hidden] == y[hidden])


def draws(y, per_class, count):
    for seed in range(count):
        rng = np.random.default_rng(seed)
        yield np.concatenate(
            [rng.choice(np.flatnonzero(y == c), per_class, replace=False) for c in np.unique(y)]
        )


def length_scales(folder, repeats):
    rules = {
        "d10/3": lambda d, d10: d10 / 3,
        "d10/2 (default)": lambda d, d10: d10 / 2,
        "d10": lambda d, d10: d10,
        "5 neighbors": lambda d, d10: neighbors_scale(d, 5),
        "10 neighbors": lambda d, d10: neighbors_scale(d, 10),
        "40 neighbors": lambda d, d10: neighbors_scale(d, 40),
    }
    table = {(rule, ridge): [] for rule in rules for ridge in RIDGES}
    for name in SETS:
        x, y = load(name, folder)
        norms = (x**2).sum(1)
        squares = (norms[:, None] + norms - 2 * x @ x.T).clip(0)
        d10 = np.median(np.sqrt(np.sort(squares, 1)[:, 10]))
        for rule, scale in rules.items():
            kernel = transformed(squares, scale(squares, d10))
            for ridge in RIDGES:
                found = [
                    accuracy(kernel, y, labeled, ridge)
                    for labeled in draws(y, 10 if y.max() > 1 else 25, repeats)
                ]
                table[rule, ridge].append(np.mean(found))
    print(f"\n| length scale | ridge | {' | '.join(SETS)} | mean |")
    print("| --- |" + " --- |" * (len(SETS) + 2))
    for (rule, ridge), row in table.items():
        cells = " | ".join(f"{value:.1f}" for value in (*row, np.mean(row)))
        print(f"| {rule} | {ridge:g} | {cells} |")


def dimensions(repeats):
    x, y = load_digits(return_X_y=True)
    sizes = (10, 20, 30, 40, 64, 128)
    print(f"\n| kernel | {' | '.join(f'd = {d}' for d in sizes)} | default |")
    print("| --- |" + " --- |" * (len(sizes) + 1))
    for kernel in ("rbf", "knn"):
        cells = []
        for d in (*sizes, None):
            found = []
            for labeled in draws(y, 10, repeats):
                hidden = np.setdiff1d(np.arange(len(y)), labeled)
                model = stkr.KernelPCAProbe(kernel, n_components=d).fit(x, y, labeled=labeled)
                found.append(100 * np.mean(model.transduction_[hidden] == y[hidden]))
            cells.append(f"{np.mean(found):.1f}")
        print(f"| {kernel} | {' | '.join(cells)} |")


ETAS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


def blocks(sizes, degree, across, spread, seed):
    """Block model with that mean degree and share of edges across; degrees over `spread` decades."""
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(len(sizes)), sizes)
    weight = 10 ** (spread * rng.uniform(0, 1, len(block)) ** 2)
    same = block[:, None] == block
    rate = np.outer(weight, weight)
    inside, outside = rate[same].sum(), rate[~same].sum()
    total = degree * len(block)
    rate = np.where(same, rate * (1 - across) * total / inside, rate * across * total / outside)
    edges = np.triu(rng.uniform(size=rate.shape) < rate, 1)
    return scipy.sparse.csr_matrix((edges | edges.T).astype(float)), block


def graph(name, folder):
    data = np.load(folder / f"{name}.npz")
    parts = (data["adj_data"], data["adj_indices"], data["adj_indptr"])
    w = scipy.sparse.csr_matrix(parts, tuple(data["adj_shape"]))
    return w, data["labels"]


def propagation(folder, repeats):
    cases = {}
    for name in ("cora", "citeseer", "photo"):
        cases[name] = ("graph", *graph(name, folder))
    cases["parties"] = ("graph", *blocks((600, 600), 27, 0.1, 2, 1))
    cases["parties 3:1"] = ("graph", *blocks((900, 300), 27, 0.1, 2, 2))
    cases["4 blocks"] = ("graph", *blocks((300,) * 4, 12, 0.25, 1, 3))
    for name in ("digits", "mnist", "coil2", "g241c"):
        cases[f"{name} knn"] = ("knn", *load(name, folder))
    for name in ("digits", "mnist", "coil2"):
        cases[f"{name} rbf"] = ("rbf", *load(name, folder))
    print(f"\n| data | labels per class | {' | '.join(f'{eta:g}' for eta in ETAS)} |")
    print("| --- |" + " --- |" * (len(ETAS) + 1))
    means = []
    for name, (kernel, x, y) in cases.items():
        for per_class in (3, 20):
            row = []
            for eta in ETAS:
                found = []
                for labeled in draws(y, per_class, 2 * repeats):
                    hidden = np.setdiff1d(np.arange(len(y)), labeled)
                    model = stkr.LabelSpreading(kernel, eta=eta).fit(x, y, labeled=labeled)
                    found.append(100 * np.mean(model.transduction_[hidden] == y[hidden]))
                row.append((np.mean(found), np.min(found)))
            means.append([mean for mean, _ in row])
            cells = " | ".join(f"{mean:.1f} ({worst:.1f})" for mean, worst in row)
            print(f"| {name} | {per_class} | {cells} |", flush=True)
    print(f"| mean | | {' | '.join(f'{value:.1f}' for value in np.mean(means, 0))} |")


FUNCTIONS = {
    "sin, 1 feature, 60 labels": (
        lambda r: r.uniform(0, 1, (600, 1)), lambda x: np.sin(2 * np.pi * x[:, 0]) + 3, 60),
    "sin + square, 2 features, 80 labels": (
        lambda r: r.uniform(0, 1, (600, 2)),
        lambda x: np.sin(2 * np.pi * x[:, 0]) + x[:, 1] ** 2, 80),
    "product, 3 features, 100 labels": (
        lambda r: r.uniform(0, 1, (800, 3)),
        lambda x: np.sin(3 * x[:, 0]) * np.cos(3 * x[:, 1]) + x[:, 2], 100),
    "tanh, 5 features, 120 labels": (
        lambda r: r.normal(size=(800, 5)),
        lambda x: np.tanh(x @ [1, 0.5, -0.5, 0.2, 0]) + 0.1 * x[:, 0] * x[:, 1], 120),
}


def r2(found, truth):
    return 1 - np.sum((found - truth) ** 2) / np.sum((truth - truth.mean()) ** 2)


def tuned(model, grid, x, y, new):
    mean = y.mean()
    return GridSearchCV(model, grid, cv=5).fit(x, y - mean).predict(new) + mean


def numbers(repeats):
    print("\n| function | STKRRegressor() | KernelRidge, tuned | KNeighborsRegressor, tuned |")
    print("| --- | --- | --- | --- |")
    ridge_grid = {"gamma": np.logspace(-2, 2, 9), "alpha": np.logspace(-8, 0, 9)}
    near_grid = {"n_neighbors": [2, 3, 5, 8], "weights": ["uniform", "distance"]}
    for name, (points, function, labels) in FUNCTIONS.items():
        scores = []
        for seed in range(repeats):
            rng = np.random.default_rng(seed)
            x, new = points(rng), points(rng)[:400]
            truth, y = function(new), np.full(len(x), np.nan)
            labeled = rng.choice(len(x), labels, replace=False)
            y[labeled] = function(x[labeled])
            known = x[labeled], y[labeled], new
            scores.append((
                r2(stkr.STKRRegressor().fit(x, y).predict(new), truth),
                r2(tuned(KernelRidge(kernel="rbf"), ridge_grid, *known), truth),
                r2(tuned(KNeighborsRegressor(), near_grid, *known), truth),
            ))
        print(f"| {name} | {' | '.join(f'{value:.4f}' for value in np.mean(scores, 0))} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--only", choices=["scales", "dimensions", "propagation", "numbers"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = {
        "scales": lambda: length_scales(arguments.data, arguments.repeats),
        "dimensions": lambda: dimensions(arguments.repeats),
        "propagation": lambda: propagation(arguments.data, arguments.repeats),
        "numbers": lambda: numbers(arguments.repeats),
    }
    for name, part in parts.items():
        if arguments.only in (None, name):
            part()


if __name__ == "__main__":
    main()
