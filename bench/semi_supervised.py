#!/usr/bin/python3
"""Errors of stkr and scikit-learn on the semi-supervised benchmark sets: same kernels, same validation.

    sudo apt-get install python3-sklearn
    scripts/prepare release stkr_command stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/semi_supervised.py --data DIR --auto --json FILE

The official splits; all parameters are chosen from the labeled examples only, and every method has

- the same seven kernels: graphs of 10, 20 and 5 neighbors with self-tuned weights, RBF with a length scale
  of a third, one and three times the median distance to the tenth neighbor, and linear;
- twelve settings per kernel. stkr: inverse Laplacian with η = 0.99 and 0.9, powers 1 and 4, three ridges.
  LabelSpreading: α. SVC: C. KernelRidge: its ridge;
- the same validation: leave-one-out with ten labels, otherwise five folds with the same examples in each,
  with held-out examples as unlabeled ones;
- the same rule for ties, which are frequent with ten labels: the mean error of all candidates with the most
  correct predictions, which is the expected error of a random choice among them. The order of candidates
  favors no method.

Use of a kernel by each method: LabelSpreading uses it as its affinity, without the diagonal and divided by
degrees, as in scikit-learn; the linear kernel, which has negative entries, as K/λ₁, as in stkr. Its fixed
point is computed here by a dense solve, and compared with scikit-learn's own iteration at the start. SVC
and KernelRidge use RBF and linear unchanged and the lazy walk (I + D^-1/2 W D^-1/2)/2 on the graphs, all
scaled to a mean diagonal of 1. They use only the labeled examples, except for the graphs.

--auto adds "stkr, auto": `STKRClassifier()` with no options, called on the points with the labels of the split.
The classes of the other examples are replaced by one class before the call, so it cannot use them; it gets no
grid from here.

--class-mass doubles the candidates of every method by class-mass normalization: stkr's own, for the others
that of Zhu, Ghahramani and Lafferty (2003) with the same smoothed prior. It is off by default because the
constants of stkr's normalization were chosen with hidden labels of these sets.

Errors are those on the unlabeled examples in percent, mean ± standard error over the splits. Bold: the 95 %
interval (t) of the paired difference to the second best excludes 0. The splits share their examples, so
the intervals are somewhat too short for other draws of the data. --json FILE stores finished parts; an
interrupted run resumes from it. About 20 minutes on two cores.
"""

import argparse
import collections
import itertools
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import warnings

import numpy as np
import scipy.linalg
import scipy.stats
from comparison import Results, digest, markdown
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import LeaveOneOut, StratifiedKFold
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = {
    "g50c": ("labeled_50",),
    "ssl_digit1": ("labeled_10", "labeled_100"),
    "ssl_coil2": ("labeled_10", "labeled_100"),
    "ssl_bci": ("labeled_10", "labeled_100"),
    "ssl_g241c": ("labeled_10", "labeled_100"),
}
COUNTS = (10, 20, 5)
SCALES = (1.0, 1 / 3, 3.0)
SCALE_NEIGHBOR = 7
GRID = ["--families", "inverse-laplacian,power", "--etas", "0.99,0.9", "--powers", "1,4",
        "--betas", "1e-1,1e1,1e-3"]
ALPHAS = (0.2, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999)
COSTS = tuple(10.0 ** np.arange(-2, 4, 0.5))
RIDGES = tuple(10.0 ** np.arange(-4, 2, 0.5))
METHODS = ("stkr", "LabelSpreading", "SVC", "KernelRidge")
AUTO = "stkr, auto"


class Data:
    """Points, classes 0 and 1, and the kernels and splits shared by all methods."""

    def __init__(self, path):
        self.path = path
        self.arrays = np.load(path)
        self.x = self.arrays["X"].astype(float)
        self.y = np.unique(self.arrays["labels"], return_inverse=True)[1]
        squares = np.einsum("ij,ij->i", self.x, self.x)
        self.distances = np.maximum(squares[:, None] + squares[None] - 2.0 * self.x @ self.x.T, 0.0)
        np.fill_diagonal(self.distances, 0.0)
        self.order = np.argsort(self.distances + np.diag(np.full(len(self.y), np.inf)), axis=1)
        tenth = np.take_along_axis(self.distances, self.order[:, [9]], axis=1)
        self.scales = [factor * float(np.sqrt(np.median(tenth))) for factor in SCALES]

    def graph(self, count):
        """stkr's graph: self-tuned weights, an edge if either point is a neighbor of the other."""
        nearest = self.order[:, :count]
        scale = min(SCALE_NEIGHBOR, count) - 1
        scale = np.sqrt(np.take_along_axis(self.distances, self.order[:, [scale]], axis=1))[:, 0]
        edge = np.zeros(self.distances.shape, bool)
        np.put_along_axis(edge, nearest, True, axis=1)
        weights = np.exp(-self.distances / np.maximum(np.outer(scale, scale), 1e-300))
        return np.where(edge | edge.T, weights, 0.0)

    def kernels(self):
        """name, kind, matrix"""
        for count in COUNTS:
            yield f"knn {count}", "knn", self.graph(count)
        for scale in self.scales:
            yield f"rbf {scale:.3g}", "rbf", np.exp(-self.distances / (2.0 * scale**2))
        yield "linear", "linear", self.x @ self.x.T

    def folds(self, labeled):
        """Positions in `labeled` to train on and to hold out."""
        if len(labeled) <= 10:
            return list(LeaveOneOut().split(labeled))
        return list(StratifiedKFold(5, shuffle=True, random_state=0).split(labeled, self.y[labeled]))


def normalized(affinity):
    """D^-1/2 W D^-1/2 without the diagonal."""
    w = affinity - np.diag(np.diag(affinity))
    degree = w.sum(axis=1)
    root = 1.0 / np.sqrt(np.where(degree > 0, degree, 1.0))
    return root[:, None] * w * root[None]


def with_class_mass(scores, unlabeled, labels):
    """Zhu et al. (2003): scores times prior over mass, with negative scores as 0."""
    prior = (np.bincount(labels, minlength=2) + 1.0) / (len(labels) + 2.0)
    positive = np.maximum(scores, 0.0)
    return positive * (prior / np.maximum(positive[unlabeled].sum(axis=0), 1e-300))


class Candidates:
    """Per candidate: correct predictions on held-out examples, error on unlabeled ones, and kernel kind."""

    def __init__(self):
        self.right, self.error, self.kind = [], [], []

    def add(self, kind, right, error):
        self.right.append(int(right))
        self.error.append(float(error))
        self.kind.append(kind)

    def chosen(self):
        """Mean error of the best, share of each kernel kind among them, and number of candidates."""
        best = [k for k, right in enumerate(self.right) if right == max(self.right)]
        kinds = collections.Counter(self.kind[k] for k in best)
        return {"error": statistics.mean(self.error[k] for k in best), "count": len(self.right),
                "kernels": {kind: number / len(best) for kind, number in kinds.items()}}


def try_scores(found, kind, data, labeled, hidden, class_mass, scores):
    """scores(positions in labeled to train on): one column per class, for all examples."""
    y = data.y
    for mass in (False, True) if class_mass else (False,):
        def answers(train):
            f = scores(train)
            if mass:
                f = with_class_mass(f, hidden, y[labeled[train]])
            return np.argmax(f, axis=1)

        right = sum(np.sum(answers(train)[labeled[held]] == y[labeled[held]])
                    for train, held in data.folds(labeled))
        everything = answers(np.arange(len(labeled)))
        found.add(kind, right, 100.0 * np.mean(everything[hidden] != y[hidden]))


def peers(data, splits, class_mass):
    """{method: the choice for each split}"""
    y, n = data.y, len(data.y)
    found = {method: [Candidates() for _ in splits] for method in METHODS[1:]}
    hidden = [np.setdiff1d(np.arange(n), labeled) for labeled in splits]

    def two_columns(f):
        return np.column_stack([1.0 - f, 1.0 + f]) / 2.0

    def supervised(make, gram, labeled, train):
        rows = labeled[train]
        if len(np.unique(y[rows])) == 1:
            return np.tile(np.eye(2)[y[rows[0]]], (n, 1))
        model = make().fit(gram[np.ix_(rows, rows)], 2.0 * y[rows] - 1.0)
        predict = getattr(model, "decision_function", model.predict)
        return two_columns(predict(gram[:, rows]))

    for _, kind, matrix in data.kernels():
        s = matrix / scipy.linalg.eigvalsh(matrix, subset_by_index=[n - 1, n - 1])[0] \
            if kind == "linear" else normalized(matrix)
        for alpha in ALPHAS:
            factor = scipy.linalg.cho_factor(np.eye(n) - alpha * s)
            for k, labeled in enumerate(splits):
                columns = scipy.linalg.cho_solve(factor, np.eye(n)[:, labeled])
                indicator = np.eye(2)[y[labeled]]
                try_scores(found["LabelSpreading"][k], kind, data, labeled, hidden[k], class_mass,
                           lambda train: columns[:, train] @ indicator[train])
        gram = 0.5 * (np.eye(n) + s) if kind == "knn" else matrix
        gram = gram / np.mean(np.diag(gram))
        for (k, labeled), cost, ridge in ((split, *pair) for split in enumerate(splits)
                                          for pair in zip(COSTS, RIDGES, strict=True)):
            for method, make in (("SVC", lambda: SVC(C=cost, kernel="precomputed")),
                                 ("KernelRidge", lambda: KernelRidge(alpha=ridge, kernel="precomputed"))):
                try_scores(found[method][k], kind, data, labeled, hidden[k], class_mass,
                           lambda train: supervised(make, gram, labeled, train))
    return {method: [candidates.chosen() for candidates in rows] for method, rows in found.items()}


def check_spreading(data):
    """Check that the dense solve gives scikit-learn's predictions."""
    labeled = data.arrays[next(name for name in data.arrays if name.startswith("labeled_"))][0]
    labels = np.full(len(data.y), -1)
    labels[labeled] = data.y[labeled]
    for name, _, matrix in itertools.islice(data.kernels(), 4):
        model = LabelSpreading(kernel=lambda a, b: matrix, alpha=0.9, max_iter=10000, tol=1e-9)
        own = model.fit(data.x, labels).transduction_
        f = np.linalg.solve(np.eye(len(labels)) - 0.9 * normalized(matrix),
                            (labels[:, None] == np.arange(2)[None]).astype(float))
        if np.any((own != np.argmax(f, axis=1)) & (np.abs(f[:, 0] - f[:, 1]) > 1e-6 * f.max())):
            raise SystemExit(f"{data.path.name}, {name}: the dense solve differs from LabelSpreading")


def stkr(program, data, labeled, threads, class_mass):
    """The choice of `stkr select` for one split."""
    hidden = np.setdiff1d(np.arange(len(data.y)), labeled)
    common = [*GRID, "--kernels", "knn,rbf,linear", "--neighbor-counts", ",".join(map(str, COUNTS)),
              "--length-scales", ",".join(map(repr, data.scales)), "--threads", str(threads), "--json",
              "--minus-one-is-class"] + (["--class-mass", "both"] if class_mass else [])

    def points(folder, *how):
        done = subprocess.run([program, "select", data.path, *how, *common], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=folder)
        if done.returncode not in (0, 4):  # 4: a tiny ridge left a residual above the tolerance
            raise SystemExit(f"stkr select {data.path.name}: {done.stderr}")
        return {(p["kernel"], p["family"], p["param"], p["beta"], p.get("class_mass", False)): p["val"]
                for p in json.loads(done.stdout)["points"] if p["val"] is not None}

    def split(folder, train, val):
        """Accuracies on val; all other samples are unlabeled."""
        other = np.setdiff1d(np.arange(len(data.y)), np.concatenate([train, val]))
        np.savez(pathlib.Path(folder) / "split.npz", train=train, val=val, test=other[:0], other=other)
        return points(folder, "--split", "split.npz", "--setting", "transductive")

    with tempfile.TemporaryDirectory() as folder:
        right = collections.Counter()
        if len(labeled) <= 10:
            np.savetxt(pathlib.Path(folder) / "labeled.txt", labeled, fmt="%d")
            scores = points(folder, "--labeled", "labeled.txt", "--leave-one-out")
            right.update({key: round(score * len(labeled)) for key, score in scores.items()})
        else:
            for train, held in data.folds(labeled):
                scores = split(folder, labeled[train], labeled[held])
                right.update({key: round(score * len(held)) for key, score in scores.items()})
        hidden_scores = split(folder, labeled, hidden)
    found = Candidates()
    for key, score in hidden_scores.items():
        found.add(key[0].split()[0], right[key], 100.0 * (1.0 - score))
    return found.chosen()


def auto(data, labeled):
    """`STKRClassifier()` for one split. The others' classes are hidden from it."""
    from stkr import STKRClassifier
    hidden = np.setdiff1d(np.arange(len(data.y)), labeled)
    known = np.full(len(data.y), data.y[labeled[0]])
    known[labeled] = data.y[labeled]
    answers = STKRClassifier().fit(data.x, known, labeled=labeled).transduction_
    return {"error": 100.0 * float(np.mean(answers[hidden] != data.y[hidden])), "count": 1, "kernels": {}}


def print_table(chosen):
    """chosen: {(set, labels): {method: one row per split}}"""
    first = next(iter(chosen.values()))
    heads = [m if first[m][0]["count"] == 1 else f"{m}, {first[m][0]['count']} candidates" for m in first]
    cells = [["set", "labels", *heads]]
    for (data, array), of in chosen.items():
        errors = {m: [row["error"] for row in rows] for m, rows in of.items()}
        n = len(next(iter(errors.values())))
        row = {m: f"{statistics.mean(e):.1f}" for m, e in errors.items()}
        if n > 1:
            row = {m: f"{row[m]} ± {statistics.stdev(e) / math.sqrt(n):.1f}" for m, e in errors.items()}
        ranked = sorted(errors, key=lambda m: statistics.mean(errors[m]))
        if n > 1 and len(ranked) > 1:
            gap = np.subtract(errors[ranked[1]], errors[ranked[0]])
            if gap.mean() > scipy.stats.t.ppf(0.975, n - 1) * gap.std(ddof=1) / math.sqrt(n):
                row[ranked[0]] = f"**{row[ranked[0]]}**"
        cells.append([data.removeprefix("ssl_"), array.removeprefix("labeled_"), *row.values()])
    print("\n" + markdown(cells))
    print("\nChosen kernels, in percent of the splits (knn / rbf / linear):\n")
    cells = [["set", "labels", *(m for m in first if m != AUTO)]]
    for (data, array), of in chosen.items():
        shares = [" / ".join(f"{100 * statistics.mean(row['kernels'].get(kind, 0.0) for row in rows):.0f}"
                             for kind in ("knn", "rbf", "linear"))
                  for m, rows in of.items() if m != AUTO]
        cells.append([data.removeprefix("ssl_"), array.removeprefix("labeled_"), *shares])
    print(markdown(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        required="STKR_DATA" not in os.environ)
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--splits", type=int, help="use only that many official splits")
    parser.add_argument("--class-mass", action="store_true", help="add class-mass normalization to every method")
    parser.add_argument("--auto", action="store_true", help="add STKRClassifier() with no options")
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="store finished parts there, and resume from it")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = Results(options.json, class_mass=options.class_mass, grid=GRID,
                      program=digest(options.program))
    chosen = {}
    for name in options.sets:
        data = Data((options.data / f"{name}.npz").resolve())
        check_spreading(data)
        for array in SETS[name]:
            splits = [np.sort(row) for row in data.arrays[array][:options.splits]]
            rows = [results.measure(f"{name} / {array} / {k} / stkr",
                                    lambda: stkr(options.program.resolve(), data, labeled, options.threads,
                                                 options.class_mass))
                    for k, labeled in enumerate(splits)]
            others = results.measure(f"{name} / {array} / {len(splits)} / others",
                                     lambda: peers(data, splits, options.class_mass))
            chosen[name, array] = {"stkr": rows, **others}
            if options.auto:
                chosen[name, array] = {AUTO: [results.measure(f"{name} / {array} / {k} / auto",
                                                              lambda: auto(data, labeled))
                                              for k, labeled in enumerate(splits)], **chosen[name, array]}
            print(name, array, {m: round(statistics.mean(row["error"] for row in rows), 2)
                                for m, rows in chosen[name, array].items()}, flush=True)
    print_table(chosen)


if __name__ == "__main__":
    main()
