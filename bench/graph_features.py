#!/usr/bin/python3
"""Nodes with features: kernel ridge on smoothed features beside SGC and a graph convolutional network.

    sudo apt-get install python3-scipy python3-sklearn python3-torch
    /usr/bin/python3 bench/graph_features.py --data DIR --splits 20 --json graph_features.json

Cora, CiteSeer, Amazon Photo, Coauthor CS and DBLP with their node features, largest component. A split has 20
training labels per class, 30 per class for choosing among candidates, and the remaining nodes for testing; a
class with fewer than 100 nodes gives a fifth of them for training and three tenths for choosing. All methods
use the same splits. The candidate with the most correct predictions on the choosing set is used; if several
tie, their mean test accuracy counts, so that the order of candidates favors no method.

A is the graph, X the features, S = D^-1/2 (A + I) D^-1/2 with the degrees D of A + I. "linear" is X as it is,
"cosine" scales each row of S^k X to length 1. Ridges and costs are in units of the mean diagonal of the kernel
between the training samples. Targets of kernel ridge are class indicators.

- graph: kernel ridge with the inverse Laplacian s(P) = P (I - eta P)^-1 of the lazy walk P = (I + D^-1/2 A
  D^-1/2)/2, eta = 0.9 and 0.99, by conjugate gradients to 1e-6; 5 ridges. 10 candidates.
- features: kernel ridge on X; linear and cosine, 5 ridges. 10 candidates.
- smoothed features: kernel ridge on S^k X, k = 0, ..., 8; linear and cosine, 5 ridges. 90 candidates.
- sums: (1 - a) times smoothed features, k = 1, 2, 4, linear and cosine, plus a times the graph kernel with
  eta = 0.99, both scaled to a mean diagonal of 1; a = 0.1, 0.3, 0.5; 5 ridges. 90 candidates.
- leave-one-out: smoothed features and sums, but the candidate with the most correct leave-one-out predictions
  on the training labels; the choosing set is not used at all. "log loss": with the smallest leave-one-out log
  loss of softmax(b f), b the best of 1, 3, 10, 30, 100 and 300.
- stkr (--auto): `STKRClassifier().fit(graph, y, labeled=..., features=X)`, training labels only.
- SGC (Wu et al. 2019): scikit-learn's logistic regression on S^k X, k = 0, ..., 8; linear and cosine; C = 0.1,
  1, 10, 100, 1000 (in the units above); at most 300 steps of L-BFGS. 90 candidates. "SGC, k = 2" is the
  published method: 10 of these candidates.
- GCN (Kipf and Welling 2017), in plain PyTorch: two layers, 64 hidden units, dropout 0.5, Adam with rate 0.01,
  weight decay 5e-4, 5e-3 or 5e-5 on the first layer, at most 300 epochs, the weights of the epoch with the best
  accuracy on the choosing set (by loss if equal), stopped after 50 epochs without a better one. Rows of X
  divided by their sums, as published, and X as it is. 6 candidates, and every epoch is one, too.

Prints the accuracy on test nodes in percent, mean and standard error over the splits; then the median seconds
per split with all candidates on --threads cores, and the most frequent choices. Both kinds of time include the
products S^k X that the method needs. --json FILE stores finished parts; an interrupted run resumes from it.
"""

import argparse
import collections
import os
import pathlib
import statistics
import warnings

import numpy as np
import scipy.sparse
from comparison import Results, markdown, percent, seconds
from graph_convolution import DECAYS, EPOCHS, gcn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

SETS = ("cora", "citeseer", "photo", "cs", "dblp")
TRAIN, CHOOSE = 20, 30
STEPS = tuple(range(9))
SUM_STEPS = (1, 2, 4)
RIDGES = (1e-2, 1e-1, 1.0, 10.0, 100.0)
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
ETAS = (0.9, 0.99)
SHARES = (0.1, 0.3, 0.5)


class Graph:
    """Largest component: adjacency, features, classes, and the two normalized matrices."""

    def __init__(self, folder, name):
        g, f = np.load(folder / f"{name}.npz"), np.load(folder / f"{name}_features.npz")
        a = scipy.sparse.csr_matrix((g["adj_data"].astype(float), g["adj_indices"], g["adj_indptr"]),
                                    shape=g["adj_shape"])
        x = scipy.sparse.csr_matrix((f["X_data"].astype(float), f["X_indices"], f["X_indptr"]),
                                    shape=f["X_shape"])
        part = scipy.sparse.csgraph.connected_components(a)[1]
        inside = part == np.bincount(part).argmax()
        self.a, self.x = a[inside][:, inside].tocsr(), x[inside].tocsr()
        self.y = np.unique(g["labels"][inside], return_inverse=True)[1]
        self.n, self.classes = len(self.y), int(self.y.max()) + 1
        eye = scipy.sparse.identity(self.n, format="csr")
        self.s = balanced(self.a + eye)
        self.lazy = 0.5 * (eye + balanced(self.a))
        self.norms = self.row_norms()

    def row_norms(self):
        """Lengths of the rows of S^k X for every k; 1 if a row is 0."""
        squares = np.zeros((len(STEPS), self.n))
        for first in range(0, self.x.shape[1], 256):
            block = self.x[:, first:first + 256].toarray()
            for k in STEPS:
                block = block if k == 0 else self.s @ block
                squares[k] += np.einsum("ij,ij->i", block, block)
        return np.where(squares > 0, np.sqrt(squares), 1.0)

    def split(self, random):
        """Samples for training, choosing and testing."""
        train, choose = [], []
        for c in range(self.classes):
            rows = random.permutation(np.flatnonzero(self.y == c))
            few = len(rows) < 2 * (TRAIN + CHOOSE)
            a, b = (len(rows) // 5, 3 * len(rows) // 10) if few else (TRAIN, CHOOSE)
            train.append(rows[:a])
            choose.append(rows[a:a + b])
        train, choose = np.concatenate(train), np.concatenate(choose)
        return train, choose, np.setdiff1d(np.arange(self.n), np.concatenate([train, choose]))

    def smoothed_rows(self, rows, last=STEPS[-1]):
        """k, those rows of S^k X"""
        z = np.zeros((self.n, len(rows)))
        z[rows, np.arange(len(rows))] = 1.0
        for k in range(last + 1):
            z = z if k == 0 else self.s @ z
            yield k, (self.x.T @ z).T

    def smoothed_times(self, k, weights):
        """S^k X times a small matrix"""
        f = self.x @ weights
        for _ in range(k):
            f = self.s @ f
        return f


def balanced(a):
    root = scipy.sparse.diags(1.0 / np.sqrt(np.maximum(np.asarray(a.sum(axis=1)).ravel(), 1e-300)))
    return (root @ a @ root).tocsr()


def inverse_laplacian(p, eta, columns):
    """P (I - eta P)^-1 of unit vectors, by conjugate gradients to 1e-6."""
    b = np.zeros((p.shape[0], len(columns)))
    b[columns, np.arange(len(columns))] = 1.0
    b = p @ b
    x, r = np.zeros_like(b), b.copy()
    d, rho = r.copy(), np.einsum("ij,ij->j", r, r)
    end = 1e-12 * rho
    while np.any(rho > end):
        q = d - eta * (p @ d)
        step = rho / np.maximum(np.einsum("ij,ij->j", d, q), 1e-300)
        x += step * d
        r -= step * q
        new = np.einsum("ij,ij->j", r, r)
        d = r + (new / np.maximum(rho, 1e-300)) * d
        rho = new
    return x


class Candidates:
    """Of each: its quality when choosing, such as the number of correct predictions, and its test accuracy."""

    def __init__(self):
        self.names, self.quality, self.test = [], [], []

    def add(self, name, quality, test):
        self.names.append(name)
        self.quality.append(float(quality))
        self.test.append(float(test))

    def chosen(self):
        best = [k for k, quality in enumerate(self.quality) if quality == max(self.quality)]
        return {"test": statistics.mean(self.test[k] for k in best), "count": len(self.quality),
                "best": max(self.test), "names": [self.names[k] for k in best]}


def log_loss(scores, y):
    """Mean of -log softmax(b f) at the true class, with the best of a few factors b."""
    f = scores - scores.max(axis=1, keepdims=True)
    return min(float(np.mean(np.log(np.exp(b * f).sum(axis=1)) - b * f[np.arange(len(y)), y]))
               for b in (1.0, 3.0, 10.0, 30.0, 100.0, 300.0))


def ridge_candidates(candidates, graph, split, name, gram, scores):
    """Kernel ridge for every ridge. gram: between the training samples; scores(alpha): for all samples.

    candidates: three lists, for the choosing set, and for leave-one-out by correct predictions and by log loss.
    """
    train, choose, test = split
    y = graph.y
    targets = np.eye(graph.classes)[y[train]]
    values, vectors = np.linalg.eigh(gram / np.mean(np.diag(gram)))
    for ridge in RIDGES:
        inverse = (vectors / (np.maximum(values, 0.0) + ridge)) @ vectors.T
        alpha = inverse @ targets
        answers = scores(alpha).argmax(axis=1)
        accuracy = np.mean(answers[test] == y[test])
        left_out = targets - alpha / np.diag(inverse)[:, None]
        qualities = (np.sum(answers[choose] == y[choose]), np.sum(left_out.argmax(axis=1) == y[train]),
                     -log_loss(left_out, y[train]))
        for found, quality in zip(candidates, qualities, strict=True):
            found.add(f"{name}, ridge {ridge:g}", quality, accuracy)


def smoothed_kernels(graph, train, steps):
    """name, kernel between the training samples, and a function from alpha to K(all, train) alpha"""
    for k, rows in graph.smoothed_rows(train, max(steps)):
        if k not in steps:
            continue
        for kind in ("linear", "cosine"):
            norms = np.ones(graph.n) if kind == "linear" else graph.norms[k]
            phi = rows / norms[train, None]

            def scores(alpha, k=k, phi=phi, norms=norms):
                return graph.smoothed_times(k, phi.T @ alpha) / norms[:, None]
            yield f"{kind} k={k}", phi @ phi.T, scores


def chosen(several):
    return [candidates.chosen() for candidates in several]


def graph_only(graph, split):
    found = Candidates(), Candidates(), Candidates()
    for eta in ETAS:
        k = inverse_laplacian(graph.lazy, eta, split[0])
        ridge_candidates(found, graph, split, f"eta {eta}", k[split[0]], lambda alpha: k @ alpha)
    return chosen(found)


def features_only(graph, split, steps=(0,)):
    found = Candidates(), Candidates(), Candidates()
    for name, gram, scores in smoothed_kernels(graph, split[0], steps):
        ridge_candidates(found, graph, split, name, gram, scores)
    return chosen(found)


def smoothed_features(graph, split):
    return features_only(graph, split, STEPS)


def sums(graph, split):
    train = split[0]
    found = Candidates(), Candidates(), Candidates()
    g = inverse_laplacian(graph.lazy, 0.99, train)
    g /= np.mean(np.diag(g[train]))
    for name, gram, scores in smoothed_kernels(graph, train, SUM_STEPS):
        scale = 1.0 / np.mean(np.diag(gram))
        for a in SHARES:
            def both(alpha):
                return (1.0 - a) * scale * scores(alpha) + a * (g @ alpha)
            ridge_candidates(found, graph, split, f"{name}, a={a}", (1.0 - a) * scale * gram + a * g[train], both)
    return chosen(found)


def auto(graph, split):
    """stkr with its defaults, from the training labels alone."""
    import stkr
    train, _, test = split
    labels = np.full(graph.n, -1)
    labels[train] = graph.y[train]
    answers = stkr.STKRClassifier().fit(graph.a, labels, labeled=train, features=graph.x).transduction_
    return [{"test": float(np.mean(answers[test] == graph.y[test])), "count": 1, "best": 0.0, "names": ["auto"]}]


def sgc(graph, split):
    """Chosen among all k, and with k = 2."""
    train, choose, test = split
    y = graph.y
    found, two = Candidates(), Candidates()
    for k, rows in graph.smoothed_rows(train):
        for kind in ("linear", "cosine"):
            norms = np.ones(graph.n) if kind == "linear" else graph.norms[k]
            phi = rows / norms[train, None]
            # In an orthonormal basis of the span of the training rows, the same model is found faster.
            values, vectors = np.linalg.eigh(phi @ phi.T)
            kept = values > 1e-10 * values[-1]
            root, vectors = np.sqrt(values[kept]), vectors[:, kept]
            basis = phi.T @ (vectors / root)
            scale = np.sqrt(np.mean(np.einsum("ij,ij->i", phi, phi)))
            for cost in COSTS:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    model = LogisticRegression(C=cost, max_iter=300).fit(vectors * root / scale, y[train])
                f = graph.smoothed_times(k, basis @ model.coef_.T / scale) / norms[:, None] + model.intercept_
                answers = model.classes_[f.argmax(axis=1)]
                for candidates in (found, two) if k == 2 else (found,):
                    candidates.add(f"{kind} k={k}, C {cost:g}", np.sum(answers[choose] == y[choose]),
                                   np.mean(answers[test] == y[test]))
    return chosen((found, two))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        required="STKR_DATA" not in os.environ)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2, help="of PyTorch; set OMP_NUM_THREADS for the others")
    parser.add_argument("--device", default="cpu", help="of PyTorch; times on others are not comparable")
    parser.add_argument("--auto", action="store_true", help="add stkr's own choice")
    parser.add_argument("--skip", nargs="+", default=[], help="methods to leave out, such as gcn")
    parser.add_argument("--json", type=pathlib.Path, help="store finished parts there, and resume from it")
    arguments = parser.parse_args()
    # Functions return one result per row of the table.
    methods = {
        "graph": (graph_only, ["graph", None, None]),
        "features": (features_only, ["features", None, None]),
        "smoothed": (smoothed_features, ["smoothed features", "smoothed features, leave-one-out",
                                         "smoothed features, leave-one-out log loss"]),
        "sums": (sums, ["sums", "sums, leave-one-out", "sums, leave-one-out log loss"]),
        "sgc": (sgc, ["SGC", "SGC, k = 2"]),
        "gcn": (None, ["GCN"]),
    }
    if arguments.auto:
        methods["auto"] = (auto, ["stkr"])
    for name in arguments.skip:
        methods.pop(name, None)
    # The settings do not include the number of splits: more can be added to the same file.
    results = Results(arguments.json, steps=STEPS, ridges=RIDGES, costs=COSTS, decays=DECAYS, epochs=EPOCHS)
    rows, times, names = {}, {}, {}
    for data in arguments.sets:
        graph = Graph(arguments.data, data)
        for k in range(arguments.splits):
            split = graph.split(np.random.default_rng(k))
            for key, (method, heads) in methods.items():
                def once():
                    if key == "gcn":
                        network = Candidates()
                        took, _ = seconds(
                            lambda: gcn(graph, split, network, k, arguments.threads, arguments.device))
                        found = [network.chosen()]
                    else:
                        took, found = seconds(lambda: method(graph, split))
                    return {"seconds": took, "found": found}
                result = results.measure(f"{data} {k} {key}", once)
                for head, found in zip(heads, result["found"], strict=True):
                    if head is not None:
                        rows.setdefault(head, {}).setdefault(data, []).append(found["test"])
                        names.setdefault(head, {}).setdefault(data, collections.Counter()).update(
                            {name: 1.0 / len(found["names"]) for name in found["names"]})
                times.setdefault(heads[0], {}).setdefault(data, []).append(result["seconds"])
    print(markdown([["method", *arguments.sets],
                    *([head, *(percent(of[data]) for data in arguments.sets)] for head, of in rows.items())]))
    print("\nSeconds per split:\n")
    print(markdown([["method", *arguments.sets],
                    *([head, *(f"{statistics.median(of[data]):.1f}" for data in arguments.sets)]
                      for head, of in times.items())]))
    print("\nMost frequent choices, in percent of the splits:\n")
    print(markdown([["method", *arguments.sets],
                    *([head, *("; ".join(f"{name} ({100 * weight / arguments.splits:.0f})"
                                         for name, weight in of[data].most_common(2))
                               for data in arguments.sets)] for head, of in names.items())]))


if __name__ == "__main__":
    main()
