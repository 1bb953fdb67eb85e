#!/usr/bin/python3
"""Errors on the semi-supervised benchmark sets, stkr beside scikit-learn on the official splits.

    scripts/prepare release stkr_command
    /usr/bin/python3 bench/semi_supervised.py --data DIR [--sets g50c ssl_bci] [--json FILE]

All parameters are chosen from the labelled examples alone: stkr by `stkr select` with leave-one-out
or five folds, the others by the same number of folds over the same labelled examples, LabelSpreading
with all examples in sight. The error is that on the unlabelled examples, in percent, mean and standard
error over the splits.
"""

import argparse
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import kneighbors_graph
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
FOLDS = 5

# The first of equally good points is taken, so what is usual comes first.
GRID = [
    "--families", "inverse-laplacian,power",
    "--etas", "0.99,0.999,0.9",
    "--powers", "2,1,4,8",
    "--betas", "1e-2,1e-1,1e0,1e1,1e-3,1e-4",
    "--kernels", "knn,rbf,linear",
    "--neighbour-counts", "10,20,5",
    "--length-scales", "3x,1x,10x",
    "--class-mass", "both",
]


def folds_of(y):
    """As many folds as the rarer class has examples, five at most."""
    return StratifiedKFold(max(2, min(FOLDS, np.bincount(np.unique(y, return_inverse=True)[1]).min())),
                           shuffle=True, random_state=0)


class Spreading:
    """LabelSpreading on affinities computed once: one for all splits and folds."""

    def __init__(self, x):
        distances = euclidean_distances(x, squared=True)
        median = np.median(distances[np.triu_indices(len(x), 1)])
        self.affinities = [kneighbors_graph(x, k, include_self=True) for k in (10, 20, 5)]
        self.affinities += [np.exp(-factor * distances / median) for factor in (10.0, 30.0, 3.0)]
        self.x = x

    def fit(self, affinity, alpha, labels):
        model = LabelSpreading(kernel=lambda a, b: affinity, alpha=alpha, max_iter=100)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(self.x, labels).transduction_

    def answers(self, labeled, y):
        """The transduction with the affinity and alpha of the least cross-validated error."""
        best = (math.inf, None)
        splits = list(folds_of(y[labeled]).split(labeled, y[labeled]))
        for affinity, alpha in itertools.product(self.affinities, (0.8, 0.99, 0.2)):
            wrong = 0
            for train, test in splits:
                labels = np.full(len(y), -1)
                labels[labeled[train]] = y[labeled[train]]
                wrong += np.sum(self.fit(affinity, alpha, labels)[labeled[test]] != y[labeled[test]])
            if wrong < best[0]:
                best = (wrong, (affinity, alpha))
        labels = np.full(len(y), -1)
        labels[labeled] = y[labeled]
        return self.fit(*best[1], labels)


def supervised(kind, x, labeled, y):
    gammas = np.array([1.0, 0.3, 3.0, 0.1]) / (x.shape[1] * x[labeled].var())
    if kind == "SVC":
        grid = [{"kernel": ["rbf"], "C": [1, 10, 100], "gamma": gammas},
                {"kernel": ["linear"], "C": [1, 0.1, 10]}]
        search = GridSearchCV(SVC(), grid, cv=folds_of(y[labeled]))
        return search.fit(x[labeled], y[labeled]).predict(x)
    grid = [{"kernel": ["rbf"], "alpha": [1e-1, 1e-2, 1.0], "gamma": gammas},
            {"kernel": ["linear"], "alpha": [1.0, 10.0, 0.1]}]
    sign = 2.0 * y - 1.0
    score = lambda model, a, b: np.mean(np.sign(model.predict(a)) == b)
    splits = list(folds_of(y[labeled]).split(labeled, y[labeled]))
    search = GridSearchCV(KernelRidge(), grid, cv=splits, scoring=score)
    return (search.fit(x[labeled], sign[labeled]).predict(x) > 0).astype(int)


def stkr(program, path, index, threads, folder, more):
    answers = folder / "answers.csv"
    validation = ["--leave-one-out"] if index.startswith("labeled_10[") else ["--folds", str(FOLDS)]
    chosen = subprocess.run([program, "select", path, "--labeled", index, *validation, *GRID, *more,
                             "-o", folder / "model.npz", "--json", "--threads", str(threads)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if chosen.returncode not in (0, 4):  # 4: a tiny ridge left a residual above the tolerance
        raise RuntimeError(chosen.stderr)
    subprocess.run([program, "predict", folder / "model.npz", "-o", answers], check=True,
                   stdout=subprocess.DEVNULL)
    return np.loadtxt(answers, delimiter=",", skiprows=1, usecols=1).astype(int)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="write all errors there")
    parser.add_argument("--stkr-only", action="store_true")
    parser.add_argument("options", nargs="*", help="more options of stkr select, after --")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    errors = {}
    with tempfile.TemporaryDirectory() as name:
        for data in options.sets:
            path = options.data / f"{data}.npz"
            arrays = np.load(path)
            x, (classes, y) = arrays["X"].astype(float), np.unique(arrays["labels"], return_inverse=True)
            spreading = None if options.stkr_only else Spreading(x)
            for array in SETS[data]:
                for split, labeled in enumerate(arrays[array]):
                    hidden = np.setdiff1d(np.arange(len(y)), labeled)
                    found = stkr(options.program, path, f"{array}[{split}]", options.threads,
                                 pathlib.Path(name), options.options)
                    answers = {"stkr": np.searchsorted(classes, found)}
                    if not options.stkr_only:
                        answers["LabelSpreading"] = spreading.answers(labeled, y)
                        answers["SVC"] = supervised("SVC", x, labeled, y)
                        answers["KernelRidge"] = supervised("KernelRidge", x, labeled, y)
                    for method, answer in answers.items():
                        errors.setdefault((data, array), {}).setdefault(method, []).append(
                            100.0 * float(np.mean(answer[hidden] != y[hidden])))
                print(data, array, {m: round(statistics.mean(e), 2)
                                    for m, e in errors[data, array].items()}, flush=True)

    methods = list(next(iter(errors.values())))
    print(f"\n| set | labels | {' | '.join(methods)} |\n| --- | --- |{' --- |' * len(methods)}")
    for (data, array), of in errors.items():
        means = {m: statistics.mean(e) for m, e in of.items()}
        cells = [f"{means[m]:.1f} ± {statistics.stdev(e) / math.sqrt(len(e)):.1f}"
                 for m, e in of.items()]
        best = min(means, key=means.get)
        cells[methods.index(best)] = f"**{cells[methods.index(best)]}**"
        print(f"| {data.removeprefix('ssl_')} | {array.removeprefix('labeled_')} | {' | '.join(cells)} |")
    if options.json:
        options.json.write_text(json.dumps({f"{d} {a}": v for (d, a), v in errors.items()}, indent=1))


if __name__ == "__main__":
    main()
