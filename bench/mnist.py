#!/usr/bin/python3
"""Ten labels per class on MNIST: time and accuracy of stkr and scikit-learn on the same graphs.

    sudo apt-get install python3-sklearn time
    scripts/prepare release stkr_command
    /usr/bin/python3 bench/mnist.py --data DIR --json mnist.json

All 70,000 digits are used; 100 of the first 60,000 are labeled, the others are scored. Ten label draws,
the same for every method. Graphs do not depend on the labels: each is made once, timed separately, and
used for every draw by every method. Three tables:

1. Cost of the graphs. "stkr's graph": the ten nearest neighbors, an edge if either point is a neighbor of
   the other, self-tuned weights. "kNN graph": the graph of LabelSpreading(kernel="knn"), directed and with
   all weights 1; with n_neighbors=11, because a point counts as its own neighbor. "kNN graph, symmetric":
   its edges in both directions.
2. Accuracy on these graphs. stkr's methods are `stkr fit` with defaults and `stkr predict` on the graph
   file; LabelSpreading is scikit-learn's own, with a kernel that returns the graph, for four alphas and
   up to 1,000 steps. SVC and KernelRidge use only the labeled digits, with parameters from
   cross-validation on them. Then the contributions of graph and method, computed from the table.
3. Complete runs from points to predictions, including the graph: transductive as above; inductive, a model
   of 60,000 digits that predicts the last 10,000. stkr's seconds are those of whole commands, including
   files; scikit-learn starts with arrays in memory.

--json FILE stores every measurement when it is made; an interrupted run resumes from it. --size N uses
only that many digits, to try the script. About an hour on two cores, half of it for LabelSpreading's
steps at alpha = 0.98 and 0.99.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np
from comparison import (ALPHAS, NEIGHBORS, STEPS, Neighbors, Results, difference, digest, draw, load_mnist,
                        markdown, percent, read_graph, seconds, spread, symmetric)
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import LabelBinarizer
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS, OWN, BOTH = "stkr's graph", "kNN graph", "kNN graph, symmetric"
BASE = ("STKR", OURS)


class Command:
    """Runs stkr on files in a folder; measures seconds and the peak memory in MB."""

    def __init__(self, program, folder, threads):
        self.program, self.folder, self.threads = program.resolve(), folder, threads
        self.peak = 0.0

    def run(self, *arguments):
        log = self.folder / "peak.txt"
        took, _ = seconds(lambda: subprocess.run(
            ["/usr/bin/time", "-f", "%M", "-o", log, self.program, *map(str, arguments),
             "--threads", str(self.threads)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder))
        self.peak = max(self.peak, float(log.read_text().split()[-1]) / 1024)
        return took

    def graph(self, samples, output, *options):
        return self.run("graph", samples, "-o", output, "-k", NEIGHBORS, *options)

    def answers(self, samples, labeled, *options, new=()):
        """Fit and predict; return seconds and predictions."""
        np.savetxt(self.folder / "labeled.txt", labeled, fmt="%d")
        fixed = () if "--method" in options else ("--transform", "inverse-laplacian", "--ridge", "0.1")
        took = self.run("fit", samples, "-o", "model.npz", "--labeled", "labeled.txt", *fixed, *options)
        took += self.run("predict", "model.npz", *new, "-o", "answers.csv")
        return took, np.loadtxt(self.folder / "answers.csv", delimiter=",", skiprows=1, usecols=1)


def probe(kind, x, y):
    """SVC or KernelRidge on the labeled digits only."""
    gammas = [0.003, 0.01, 0.03, 0.1]
    if kind == "SVC":
        search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": gammas}, cv=5)
        return search.fit(x, y).predict
    binarizer = LabelBinarizer().fit(y)
    search = GridSearchCV(KernelRidge(kernel="rbf"), {"alpha": [1e-3, 1e-2, 1e-1, 1.0],
                                                      "gamma": gammas}, cv=5)
    search.fit(x, binarizer.transform(y).astype(float))
    return lambda new: binarizer.classes_[np.argmax(search.predict(new), axis=1)]


def make_graphs(command, x, results, recall, threads):
    """The graphs and their cost; also written to files for stkr."""
    cost = {"stkr, exact": command.graph("all.npz", "ours.npz"),
            f"stkr, --recall {recall}": command.graph("all.npz", "recall.npz", "--recall", recall)}
    graphs = {OURS: read_graph(command.folder / "ours.npz")}
    found = graphs[OURS].multiply(read_graph(command.folder / "recall.npz")).nnz / graphs[OURS].nnz
    own = Neighbors(x, threads)
    cost["scikit-learn"] = own.seconds
    graphs[OWN] = own.graph()
    graphs[BOTH] = symmetric(graphs[OWN])
    ours = dict(np.load(command.folder / "ours.npz"))
    matrix = graphs[BOTH]
    both = {"adj_data": matrix.data.astype(float), "adj_indices": matrix.indices,
            "adj_indptr": matrix.indptr}
    np.savez(command.folder / "both.npz", **(ours | both))
    return graphs, results.measure("graphs", lambda: {"seconds": cost, "recall": found})


def on_graphs(command, graphs, x, y, labeled, recall):
    """{(method, graph): function -> [accuracy, seconds, steps or None, converged]}"""
    hidden = np.setdiff1d(np.arange(len(y)), labeled)
    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]

    def ours(file, *options):
        def measure():
            took, answers = command.answers(file, labeled, *options)
            return [float(np.mean(answers[hidden] == y[hidden])), took, None, True]
        return measure

    def spreading(graph, alpha):
        def measure():
            s = spread(graph, partial, alpha)
            return [float(np.mean(s.answers[hidden] == y[hidden])), s.fit, s.steps, s.converged]
        return measure

    def supervised(kind):
        def measure():
            took, answers = seconds(lambda: probe(kind, x[labeled], y[labeled])(x[hidden]))
            return [float(np.mean(answers == y[hidden])), took, None, True]
        return measure

    runs = {BASE: ours("ours.npz"),
            ("STKR", f"{OURS}, --recall {recall}"): ours("recall.npz"),
            ("stkr's label propagation", OURS): ours("ours.npz", "--method", "label-propagation")}
    runs |= {(f"LabelSpreading, α = {a}", OURS): spreading(graphs[OURS], a) for a in ALPHAS}
    runs |= {(f"LabelSpreading, α = {a}", OWN): spreading(graphs[OWN], a) for a in ALPHAS}
    runs |= {(f"LabelSpreading, α = {a}", BOTH): spreading(graphs[BOTH], a) for a in ALPHAS[-1:]}
    runs |= {("STKR", BOTH): ours("both.npz")}
    return runs | {(kind, "none"): supervised(kind) for kind in ("SVC", "KernelRidge")}


def from_points(command, x, y, labeled, train, recall, threads):
    """{method: function -> accuracy, seconds, then the same for new digits, peak in MB or None}"""
    hidden = np.setdiff1d(np.arange(len(y)), labeled)
    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]

    def ours(*options):
        def measure():
            command.peak = 0.0
            knn = ("--kernel", "knn", "--neighbors", NEIGHBORS, *options)
            took, answers = command.answers("all.npz", labeled, *knn)
            more, new = command.answers("train.npz", labeled, *knn, new=("test.npz",))
            return [float(np.mean(answers[hidden] == y[hidden])), took,
                    float(np.mean(new == y[train:])), more, command.peak]
        return measure

    def spreading(alpha, steps):
        def measure():
            model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBORS + 1, alpha=alpha, max_iter=steps,
                                   n_jobs=threads)
            took, answers = seconds(lambda: model.fit(x, partial).transduction_)
            more, new = seconds(lambda: model.fit(x[:train], partial[:train]).predict(x[train:]))
            return [float(np.mean(answers[hidden] == y[hidden])), took,
                    float(np.mean(new == y[train:])), more, None]
        return measure

    runs = {"stkr, exact neighbors": ours(), f"stkr, --recall {recall}": ours("--recall", recall),
            "LabelSpreading, α = 0.2, 30 steps, its defaults": spreading(0.2, 30)}
    return runs | {f"LabelSpreading, α = {a}": spreading(a, STEPS) for a in (0.9, 0.99)}


def print_accuracies(table, draws):
    print(f"\nAccuracy on the hidden digits, {draws} label draws, mean ± standard error, and the paired "
          "difference to the first row.\nSeconds per draw (median), without the graph.\n")
    cells = [["method", "graph", "accuracy, %", "minus STKR, percentage points", "seconds", "steps"]]
    base = [run[0] for run in table[BASE]]
    for (method, graph), runs in table.items():
        right = [run[0] for run in runs]
        steps = "" if runs[0][2] is None else f"{statistics.median(run[2] for run in runs):.0f}"
        stopped = sum(not run[3] for run in runs)
        steps += f", {stopped} not converged" if stopped else ""
        cells.append([method, graph, percent(right),
                      "" if (method, graph) == BASE else difference(right, base),
                      f"{statistics.median(run[1] for run in runs):.1f}", steps])
    print(markdown(cells))


def print_reasons(table):
    """The effect of graph and method, each with the other fixed; alpha is the best on the hidden labels,
    in favor of LabelSpreading."""
    right = {key: [run[0] for run in runs] for key, runs in table.items()}

    def best(graph):
        keys = [key for key in right if key[0].startswith("LabelSpreading") and key[1] == graph]
        return max(keys, key=lambda key: statistics.mean(right[key]))

    ours, own = best(OURS), best(OWN)
    propagation = ("stkr's label propagation", OURS)
    print("\nContributions of graph and method, in percentage points (α: the best on the hidden labels):\n")
    for text, a, b in (
            (f"the graph, method fixed: {ours[0]}, stkr's graph, minus {own[0]}, kNN graph", ours, own),
            ("the graph, method fixed: STKR on stkr's graph minus STKR on the kNN graph, symmetric",
             BASE, ("STKR", BOTH)),
            (f"the method, graph fixed: STKR minus {ours[0]}, stkr's graph", BASE, ours),
            ("the method, graph fixed: STKR minus stkr's label propagation, stkr's graph", BASE, propagation),
            (f"both: STKR on stkr's graph minus {own[0]} on its own", BASE, own)):
        print(f"- {text}: {difference(right[a], right[b])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("STKR_DATA"), type=pathlib.Path,
                        required="STKR_DATA" not in os.environ)
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--draws", default=10, type=int)
    parser.add_argument("--whole", default=1, type=int, help="draws for the complete runs from points")
    parser.add_argument("--recall", default=0.98, type=float)
    parser.add_argument("--size", type=int, help="use only that many digits")
    parser.add_argument("--json", type=pathlib.Path, help="store every measurement there, and resume from it")
    options = parser.parse_args()
    x, y = load_mnist(options.data)
    train = 60000
    if options.size:
        some = np.random.default_rng(0).permutation(len(y))[:options.size]
        x, y, train = x[some], y[some], options.size * 6 // 7
    results = Results(options.json, digits=len(y), threads=options.threads, recall=options.recall,
                      program=digest(options.program))
    table, whole = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, part in (("all", slice(None)), ("train", slice(train)), ("test", slice(train, None))):
            np.savez(folder / f"{file}.npz", X=x[part], labels=y[part])
        command = Command(options.program, folder, options.threads)
        graphs, cost = make_graphs(command, x, results, options.recall, options.threads)
        for seed in range(options.draws):
            labeled = draw(y[:train], 10, np.random.default_rng(seed))
            runs = on_graphs(command, graphs, x, y, labeled, options.recall)
            for key, function in runs.items():
                value = results.measure(f"{seed} / {' / '.join(key)}", function)
                table.setdefault(key, []).append(value)
                print(f"draw {seed}, {', '.join(key)}: {100 * value[0]:.2f} %, {value[1]:.1f} s", flush=True)
        for seed in range(options.whole):
            labeled = draw(y[:train], 10, np.random.default_rng(seed))
            runs = from_points(command, x, y, labeled, train, options.recall, options.threads)
            for key, function in runs.items():
                whole.setdefault(key, []).append(results.measure(f"{seed} / whole / {key}", function))
                print(f"draw {seed}, from points, {key}: {whole[key][-1]}", flush=True)

    print(f"\n## {len(y):,} digits, {options.threads} threads\n\nConstruction of a graph:\n")
    print(markdown([["ten neighbors from", "seconds"],
                    *([name, f"{took:.1f}"] for name, took in cost["seconds"].items())]))
    print(f"\nThe approximate graph has {100 * cost['recall']:.1f} % of the edges of the exact one.")
    print_accuracies(table, options.draws)
    print_reasons(table)
    print(f"\nFrom points to predictions, including the graph, draws: {options.whole}\n")
    cells = [["method", "transductive, %", "seconds", "inductive, %", "seconds", "peak, MB"]]
    for key, runs in whole.items():
        columns = list(zip(*runs))
        peak = "" if columns[4][0] is None else f"{max(columns[4]):.0f}"
        cells.append([key, percent(columns[0]), f"{statistics.median(columns[1]):.1f}", percent(columns[2]),
                      f"{statistics.median(columns[3]):.1f}", peak])
    print(markdown(cells))


if __name__ == "__main__":
    main()
