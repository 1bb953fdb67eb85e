#!/usr/bin/python3
"""Ten labels per class on digits and MNIST: stkr's estimators and scikit-learn's on the same graphs.

    sudo apt-get install python3-sklearn
    scripts/prepare release
    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_comparison.py --data DIR \\
        --json python_comparison.json

Every method is fitted on the same training set, with labels for ten samples per class. "seen": accuracy
on the training samples with hidden labels; "new": accuracy on samples outside the training set, a
random quarter of the 1,797 digits or MNIST's 10,000 test digits. 20 label draws for digits (each with
its own quarter), ten for MNIST, the same for every method; means with standard errors, and the paired
difference to the first row on seen samples. Seconds are medians.

If the second column names a graph, the method gets it precomputed: the time to fit does not include
the neighbor search, whose seconds are given below the table. "stkr's graph": ten neighbors, edges in
either direction, self-tuned weights, as written by `stkr graph`. "kNN graph": the graph of
LabelSpreading(kernel="knn"), directed and with all weights 1; with n_neighbors=11, because a point is
its own first neighbor. New samples get edges to their nearest training samples, weighted as in the
graph, the same for stkr and for LabelSpreading. LabelSpreading is scikit-learn's own, with a kernel
that returns the graph, four alphas and up to 1,000 steps. For "points", a fit includes everything.

Parameters are the defaults except for those in the table. RBF kernels have the same length scales for
both libraries, a third and a half of d, the median distance to the tenth neighbor; LabelSpreading's
default gamma = 20 is shown on digits. SVC uses C = 10, which is better on hidden labels than C = 1 and
than C and gamma from cross-validation.

Methods that need N x N kernel values, or refits on most samples, get --subset of MNIST's training
digits, including all labeled ones, and the table says so; with --subset 0 they are omitted. On MNIST,
STKRClassifierCV is run only with inverse Laplacians on the neighbor graph.

--json FILE stores every measurement when it is made; an interrupted run resumes from it. Digits take
about ten minutes, MNIST about an hour on two cores. --size N uses only that many of MNIST's digits, to
try the script.
"""

import argparse
import dataclasses
import functools
import os
import pathlib
import statistics
import subprocess
import tempfile
import typing
import warnings

import numpy as np
import scipy.sparse
import stkr
from comparison import (ALPHAS, NEIGHBORS, STEPS, Neighbors, Results, difference, digest, draw, load_mnist,
                        markdown, percent, read_graph, seconds, spread)
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

ROOT = pathlib.Path(__file__).resolve().parent.parent
PER_CLASS = 10
LARGE = 20000  # the most samples for methods with quadratic cost
DRAWS = {"digits": 20, "mnist": 10}
POINTS, OURS, OWN = "points", "stkr's graph", "kNN graph"
BASE = ("stkr.STKRClassifier(kernel=graph)", OURS)


class Graphs(typing.NamedTuple):
    """Graphs of the training samples, edges of new samples, and the seconds of all searches."""
    ours: scipy.sparse.csr_matrix
    new_ours: scipy.sparse.csr_matrix
    own: scipy.sparse.csr_matrix
    new_own: scipy.sparse.csr_matrix
    seconds: dict


class Problem(typing.NamedTuple):
    x: np.ndarray
    y: np.ndarray
    labeled: np.ndarray
    new_x: np.ndarray
    new_y: np.ndarray
    graphs: typing.Callable  # () -> Graphs

    def partial(self):
        labels = np.full(len(self.y), -1)
        labels[self.labeled] = self.y[self.labeled]
        return labels

    def subset(self, size):
        """That many training samples, labeled ones first."""
        others = np.setdiff1d(np.arange(len(self.y)), self.labeled)
        others = np.random.default_rng(0).permutation(others)
        rows = np.concatenate([self.labeled, others[:size - len(self.labeled)]])
        return self._replace(x=self.x[rows], y=self.y[rows], labeled=np.arange(len(self.labeled)))


def make_graphs(x, y, new_x, options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savez(folder / "points.npz", X=x, labels=y)
        ours, _ = seconds(lambda: subprocess.run(
            [options.program, "graph", folder / "points.npz", "-o", folder / "graph.npz", "-k", str(NEIGHBORS),
             "--threads", str(options.threads)], check=True, stdout=subprocess.DEVNULL))
        graph = read_graph(folder / "graph.npz")
    neighbors = Neighbors(x, options.threads)
    place, (ones, tuned) = seconds(lambda: neighbors.place(new_x))
    return Graphs(graph, tuned, neighbors.graph(), ones,
                  {"stkr": ours, "scikit-learn": neighbors.seconds, "new samples": place})


def digits(options):
    x, y = load_digits(return_X_y=True)
    x = x / 16.0

    def problem(seed):
        random = np.random.default_rng(seed)
        new, train = np.split(random.permutation(len(y)), [len(y) // 4])
        graphs = functools.cache(lambda: make_graphs(x[train], y[train], x[new], options))
        return Problem(x[train], y[train], draw(y[train], PER_CLASS, random), x[new], y[new], graphs)

    return problem


def mnist(options):
    x, y = load_mnist(options.data)
    train = 60000
    if options.size:
        some = np.random.default_rng(0).permutation(len(y))[:options.size]
        x, y, train = x[some], y[some], options.size * 6 // 7
    graphs = functools.cache(lambda: make_graphs(x[:train], y[:train], x[train:], options))

    def problem(seed):
        labeled = draw(y[:train], PER_CLASS, np.random.default_rng(seed))
        return Problem(x[:train], y[:train], labeled, x[train:], y[train:], graphs)

    return problem


SETS = {"digits": digits, "mnist": mnist}


@dataclasses.dataclass
class Method:
    name: str
    given: str             # POINTS, or the precomputed graph
    run: typing.Callable   # (problem, threads) -> predictions for training and new samples, seconds of both
    quadratic: str = ""    # why a large set is infeasible; {n} samples, {gb} of an N x N matrix
    sets: tuple = tuple(SETS)


def call(kind, parameters):
    parameters = {**parameters, **parameters.get("kernel_params", {})}
    given = ", ".join(f"{name}={value}" for name, value in parameters.items()
                      if name != "kernel_params")
    return f"{kind.__name__}({given})"


def fitted(model, x, labels, new_x, answers=True):
    """An estimator's predictions and seconds; without transduction_ it also predicts its training samples."""
    fit, _ = seconds(lambda: model.fit(x, labels))
    predict, new = seconds(lambda: model.predict(new_x))
    more, seen = seconds(lambda: model.transduction_ if answers else model.predict(x))
    return seen, new, fit, predict + more


def ours(kind, quadratic="", sets=tuple(SETS), **parameters):
    """An estimator of stkr, from points or on stkr's graph."""
    on_graph = parameters.get("kernel") == "graph"
    # The tables compare one fixed method; bench/few_labels.py compares what is chosen by data.
    fixed = {"spectral_transform": "inverse_laplacian", "ridge": 0.1} if kind is stkr.STKRClassifier else {}
    if kind is stkr.STKRClassifier and "kernel" not in parameters:
        fixed["kernel"] = "rbf"

    def run(problem, threads):
        model = kind(n_jobs=threads, **fixed, **parameters)
        if on_graph:
            graphs = problem.graphs()
            return fitted(model, graphs.ours, problem.partial(), graphs.new_ours)
        return fitted(model, problem.x, problem.partial(), problem.new_x)

    return Method("stkr." + call(kind, parameters), OURS if on_graph else POINTS, run, quadratic, sets)


def spreading(given, alpha):
    def run(problem, threads):
        graphs = problem.graphs()
        graph, cross = ((graphs.ours, graphs.new_ours) if given == OURS else
                        (graphs.own, graphs.new_own))
        found = spread(graph, problem.partial(), alpha, cross)
        return found.answers, found.new, found.fit, found.predict

    return Method(f"LabelSpreading(alpha={alpha})", given, run)


def tenth_distance(x, threads):
    """d: the median distance to the tenth neighbor, over at most a thousand samples."""
    some = np.random.default_rng(0).permutation(len(x))[:1000]
    search = NearestNeighbors(n_neighbors=NEIGHBORS + 1, n_jobs=threads).fit(x)
    return np.median(search.kneighbors(x[some])[0][:, -1])


def rbf_ours(share):
    def run(problem, threads):
        scale = tenth_distance(problem.x, threads) / share
        model = stkr.STKRClassifier("rbf", length_scale=scale, n_jobs=threads)
        return fitted(model, problem.x, problem.partial(), problem.new_x)

    return Method(f"stkr.STKRClassifier(kernel=rbf, length_scale=d/{share})", POINTS, run, PRODUCTS)


def rbf_theirs(alpha, share=None):
    """LabelSpreading with stkr's length scale, or with scikit-learn's default gamma."""
    def run(problem, threads):
        gamma = 0.5 * (share / tenth_distance(problem.x, threads)) ** 2 if share else 20
        model = LabelSpreading(kernel="rbf", gamma=gamma, alpha=alpha, max_iter=STEPS)
        return fitted(model, problem.x, problem.partial(), problem.new_x)

    scale = f"scale d/{share}" if share else "gamma=20"
    return Method(f"LabelSpreading(kernel=rbf, {scale}, alpha={alpha})", POINTS, run, MATRIX,
                  tuple(SETS) if share else ("digits",))


def propagation(problem, threads):
    model = LabelPropagation(kernel="knn", n_neighbors=NEIGHBORS + 1, n_jobs=threads)
    return fitted(model, problem.x, problem.partial(), problem.new_x)


def self_training(problem, threads):
    model = SelfTrainingClassifier(SVC(C=10, probability=True, random_state=0))
    return fitted(model, problem.x, problem.partial(), problem.new_x, answers=False)


def supervised(problem, threads):
    model = SVC(C=10)
    fit, _ = seconds(lambda: model.fit(problem.x[problem.labeled], problem.y[problem.labeled]))
    predict, (seen, new) = seconds(lambda: (model.predict(problem.x), model.predict(problem.new_x)))
    return seen, new, fit, predict


PRODUCTS = "a dense kernel product in stkr needs {n} x {n} kernel values"
MATRIX = "LabelSpreading's kernel matrix is {gb}"
METHODS = [
    ours(stkr.STKRClassifier, kernel="graph"),
    ours(stkr.LabelSpreading, kernel="graph"),
    *(spreading(OURS, alpha) for alpha in ALPHAS),
    *(spreading(OWN, alpha) for alpha in ALPHAS),
    ours(stkr.STKRClassifierCV, kernel="graph", families="inverse_laplacian", sets=("mnist",)),
    ours(stkr.KernelPCAProbe, kernel="graph"),
    ours(stkr.STKRClassifier, kernel="knn"),
    ours(stkr.STKRClassifier, kernel="knn", kernel_params={"recall": 0.98}, sets=("mnist",)),
    ours(stkr.STKRClassifierCV, kernel="knn", sets=("digits",)),
    Method("LabelPropagation(kernel=knn)", POINTS, propagation),
    ours(stkr.STKRClassifier, quadratic=PRODUCTS),
    ours(stkr.STKRClassifierCV, sets=("digits",)),
    *(rbf_ours(share) for share in (3, 2)),
    *(rbf_theirs(alpha, share) for share in (3, 2, None) for alpha in ALPHAS),
    Method("SelfTrainingClassifier(SVC(C=10))", POINTS, self_training,
           quadratic="self-training fits SVC repeatedly on most of {n} samples"),
    Method("SVC(C=10)", POINTS, supervised),
]


def measure(method, problem, threads):
    """Accuracies on seen and new samples, seconds of fit and of prediction."""
    hidden = np.setdiff1d(np.arange(len(problem.y)), problem.labeled)
    with warnings.catch_warnings():
        # Warnings about components without a label and about iterations that reach their limit.
        warnings.simplefilter("ignore")
        seen, new, fit, predict = method.run(problem, threads)
    return [float(np.mean(seen[hidden] == problem.y[hidden])), float(np.mean(new == problem.new_y)),
            fit, predict]


def compare(name, options, results):
    """Rows {(title, given): runs}, seconds of the searches, and remarks on methods run on a subset."""
    make = SETS[name](options)
    rows, searches, remarks = {}, [], []
    for seed in range(options.draws or DRAWS[name]):
        whole = make(seed)
        for method in METHODS:
            if name not in method.sets or options.only not in method.name:
                continue
            problem, title = whole, method.name
            n = len(whole.y)
            if method.quadratic and n > min(LARGE, options.subset or LARGE):
                why = method.quadratic.format(n=f"{n:,}", gb=f"{8e-9 * n * n:.1f} GB")
                remarks += [why] if why not in remarks else []
                if not options.subset:
                    continue
                problem = whole.subset(options.subset)
                title += f", {options.subset:,} samples"
            if method.given != POINTS:
                results.measure(f"{name} / {seed if name == 'digits' else 0} / graphs",
                                lambda: whole.graphs().seconds)
            result = results.measure(f"{name} / {seed} / {title} / {method.given}",
                                     lambda: measure(method, problem, options.threads))
            rows.setdefault((title, method.given), []).append(result)
            print(f"{name}, draw {seed}, {title}, {method.given}: seen {100 * result[0]:.2f} %, "
                  f"new {100 * result[1]:.2f} %, {result[2]:.2f} + {result[3]:.2f} s", flush=True)
    searches = [value for key, value in results.values.items()
                if key.startswith(f"{name} / ") and key.endswith(" / graphs")]
    return rows, searches, remarks


def table(rows):
    cells = [["method", "given", "seen, %", "new, %", "seen, minus the first row", "fit, s", "predict, s"]]
    for key, runs in rows.items():
        seen, new, fit, predict = zip(*runs)
        against = "" if key == BASE or BASE not in rows else difference(seen, [r[0] for r in rows[BASE]])
        cells.append([*key, percent(seen), percent(new), against, f"{statistics.median(fit):.2f}",
                      f"{statistics.median(predict):.2f}"])
    return markdown(cells)


def reasons(rows):
    """The effect of graph and method, each with the other fixed."""
    def best(given):
        keys = [key for key in rows if key[0].startswith("LabelSpreading(alpha") and key[1] == given]
        return max(keys, key=lambda key: statistics.mean(run[0] for run in rows[key]))

    def line(text, a, b):
        gains = [difference([run[part] for run in rows[a]], [run[part] for run in rows[b]]) for part in (0, 1)]
        return f"- {text}: {gains[0]} seen, {gains[1]} new"

    graphs, others = best(OURS), best(OWN)
    return "\n".join([
        "Contributions of graph and method, in percentage points (alpha: the best on the hidden labels):", "",
        line(f"the graph, method fixed: {graphs[0]}, stkr's graph, minus {others[0]}, kNN graph",
             graphs, others),
        line(f"the method, graph fixed: STKRClassifier minus {graphs[0]}, stkr's graph", BASE, graphs),
        line("the method, graph fixed: STKRClassifier minus stkr.LabelSpreading, stkr's graph", BASE,
             ("stkr.LabelSpreading(kernel=graph)", OURS)),
        line(f"both: STKRClassifier, stkr's graph, minus {others[0]}, kNN graph", BASE, others)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        help="folder of MNIST; without it, only digits are run")
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--sets", nargs="+", choices=list(SETS))
    parser.add_argument("--draws", type=int, help="label draws (default: 20 for digits, 10 for MNIST)")
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--subset", default=3000, type=int)
    parser.add_argument("--size", type=int, help="use only that many of MNIST's digits")
    parser.add_argument("--only", default="", metavar="TEXT", help="methods whose name contains TEXT")
    parser.add_argument("--json", type=pathlib.Path, help="store every measurement there, and resume from it")
    options = parser.parse_args()
    sets = options.sets or (list(SETS) if options.data else ["digits"])
    if "mnist" in sets and not options.data:
        parser.error("MNIST needs --data DIR, the folder with its four files")
    results = Results(options.json, threads=options.threads, subset=options.subset, size=options.size,
                      module=digest(stkr._core.__file__))
    pages = []
    for name in sets:
        rows, searches, remarks = compare(name, options, results)
        pages.append(f"### {name}, {PER_CLASS} labels per class, draws: {options.draws or DRAWS[name]}")
        pages.append(table(rows))
        if searches:
            took = {what: statistics.median(s[what] for s in searches) for what in searches[0]}
            pages.append("Neighbor search, in seconds: " + ", ".join(
                f"{what} {value:.2f}" for what, value in took.items()) + ".")
        if not options.only:
            pages.append(reasons(rows))
        if remarks:
            what = f"Rows with {options.subset:,} samples" if options.subset else "Omitted"
            pages.append(f"{what}, because all samples are infeasible: {'; '.join(remarks)}.")
    print("\n" + "\n\n".join(pages))


if __name__ == "__main__":
    main()
