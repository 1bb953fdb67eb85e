#!/usr/bin/python3
"""Ten labels a class on MNIST: stkr beside scikit-learn, time and accuracy, in one run.

    scripts/prepare release stkr_command
    /usr/bin/python3 bench/mnist.py --data DIR [--seeds 3] [--json]

Transductive: all 70,000 digits are there, 100 have labels, the others are scored. Inductive: a model
of the 60,000 training digits, 100 of them with labels, predicts the 10,000 test digits. stkr's times
are those of whole commands, reading and writing files included; scikit-learn starts with the arrays
in memory. LabelSpreading gets the same number of neighbours; SVC and KernelRidge learn from the
labelled digits alone, their parameters chosen by cross-validation on them. The recall of the
approximate neighbours is measured against the exact graph of the same run.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import LabelBinarizer
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEIGHBOURS = 10


def load(folder):
    parts = [np.load(folder / f"mnist_train_{i}of3.npz") for i in (1, 2, 3)]
    parts.append(np.load(folder / "mnist_test.npz"))
    x = np.concatenate([p["X"] for p in parts]).astype(np.float32) / 255
    return x, np.concatenate([p["labels"] for p in parts])


def seconds(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


class Stkr:
    """Runs the command on files in a folder, and remembers the largest peak of its memory."""

    def __init__(self, program, folder, threads, options):
        self.program, self.folder, self.threads = program, folder, threads
        self.options = options
        self.peak = 0.0

    def run(self, *arguments):
        log = self.folder / "time.txt"
        subprocess.run(
            ["/usr/bin/time", "-f", "%M", "-o", log, self.program, *map(str, arguments),
             "--threads", str(self.threads)],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        self.peak = max(self.peak, float(log.read_text()) / 1024)

    def fit(self, samples, labeled, *options):
        np.savetxt(self.folder / "labeled.txt", labeled, fmt="%d")
        self.run("fit", samples, "-o", "model.npz", "--labeled", "labeled.txt", "--kernel", "knn",
                 "--neighbours", NEIGHBOURS, *self.options, *options)

    def predict(self, *new):
        self.run("predict", "model.npz", *new, "-o", "answers.csv")
        return np.loadtxt(self.folder / "answers.csv", delimiter=",", skiprows=1, usecols=1)

    def graph(self, samples, *options):
        self.run("graph", samples, "-o", "graph.npz", "-k", NEIGHBOURS, "--edge-weight", "binary",
                 *options)
        g = np.load(self.folder / "graph.npz")
        return scipy.sparse.csr_matrix((g["adj_data"], g["adj_indices"], g["adj_indptr"]),
                                       shape=g["adj_shape"])


def probe(kind, x, y):
    """SVC or KernelRidge on labelled digits alone."""
    gammas = [0.003, 0.01, 0.03, 0.1]
    if kind == "SVC":
        search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": gammas}, cv=5)
        return search.fit(x, y).predict
    binarizer = LabelBinarizer().fit(y)
    search = GridSearchCV(KernelRidge(kernel="rbf"), {"alpha": [1e-3, 1e-2, 1e-1, 1.0],
                                                      "gamma": gammas}, cv=5)
    search.fit(x, binarizer.transform(y).astype(float))
    return lambda new: binarizer.classes_[np.argmax(search.predict(new), axis=1)]


def one_seed(x, y, seed, stkr, recall, results):
    random = np.random.default_rng(seed)
    labeled = np.concatenate([random.choice(np.flatnonzero(y[:60000] == c), 10, replace=False)
                              for c in range(10)])
    hidden = np.setdiff1d(np.arange(len(y)), labeled)

    def record(name, setting, took, predicted, truth):
        results.setdefault((name, setting), []).append((took, float(np.mean(predicted == truth))))
        print(f"seed {seed}, {name}, {setting}: {took:.1f} s, {100 * results[name, setting][-1][1]:.2f} %",
              flush=True)

    for name, options in (("stkr, exact neighbours", ()),
                          (f"stkr, recall {recall}", ("--recall", recall))):
        took, _ = seconds(lambda: stkr.fit("all.npz", labeled, *options))
        more, answers = seconds(stkr.predict)
        record(name, "transductive", took + more, answers[hidden], y[hidden])
        took, _ = seconds(lambda: stkr.fit("train.npz", labeled, *options))
        more, answers = seconds(lambda: stkr.predict("test.npz"))
        record(name, "inductive", took + more, answers, y[60000:])

    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]
    spread = LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS, n_jobs=-1)
    took, _ = seconds(lambda: spread.fit(x, partial))
    record("LabelSpreading", "transductive", took, spread.transduction_[hidden], y[hidden])
    took, answers = seconds(lambda: spread.fit(x[:60000], partial[:60000]).predict(x[60000:]))
    record("LabelSpreading", "inductive", took, answers, y[60000:])

    for kind in ("SVC", "KernelRidge"):
        took, predict = seconds(lambda: probe(kind, x[labeled], y[labeled]))
        more, answers = seconds(lambda: predict(x[hidden]))
        record(kind, "transductive", took + more, answers, y[hidden])
        record(kind, "inductive", took + more, predict(x[60000:]), y[60000:])


def graph_recall(exact, approximate):
    """Share of the edges of the exact graph; of the directed ones it is a little more."""
    return exact.multiply(approximate).nnz / exact.nnz


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--program", default=ROOT / "build/release/bin/stkr", type=pathlib.Path)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--seeds", default=1, type=int)
    parser.add_argument("--recall", default=0.98, type=float)
    parser.add_argument("--json", type=pathlib.Path, help="write the results there too")
    parser.add_argument("options", nargs="*", help="more options of stkr fit, after --")
    options = parser.parse_args()
    x, y = load(options.data)
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savez(folder / "all.npz", X=x, labels=y)
        np.savez(folder / "train.npz", X=x[:60000], labels=y[:60000])
        np.savez(folder / "test.npz", X=x[60000:], labels=y[60000:])
        stkr = Stkr(options.program, folder, options.threads, options.options)
        for seed in range(options.seeds):
            one_seed(x, y, seed, stkr, options.recall, results)
        found = graph_recall(stkr.graph("all.npz"), stkr.graph("all.npz", "--recall", options.recall))
        peak = stkr.peak

    print(f"\n{'method':28}{'setting':14}{'seconds':>9}{'accuracy':>10}")
    for (method, setting), runs in results.items():
        took = statistics.median(t for t, _ in runs)
        right = [100 * a for _, a in runs]
        spread = f" +- {statistics.stdev(right):.2f}" if len(right) > 1 else ""
        print(f"{method:28}{setting:14}{took:9.1f}{statistics.mean(right):9.2f}%{spread}")
    peer = statistics.median(t for t, _ in results["LabelSpreading", "transductive"])
    for method in {m for m, _ in results if m.startswith("stkr")}:
        mine = statistics.median(t for t, _ in results[method, "transductive"])
        print(f"{method}: {peer / mine:.1f} times as fast as LabelSpreading (transductive)")
    print(f"edges of the exact graph that the approximate one has: {100 * found:.2f} %")
    print(f"peak memory of stkr: {peak:.0f} MB")
    if options.json:
        options.json.write_text(json.dumps(
            {"results": {" / ".join(k): v for k, v in results.items()}, "edge_recall": found,
             "peak_megabytes": peak}, indent=1))


if __name__ == "__main__":
    main()
