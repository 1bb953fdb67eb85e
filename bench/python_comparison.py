#!/usr/bin/python3
"""Ten labels a class on digits and MNIST: stkr's estimators beside scikit-learn's, in one run.

    scripts/prepare release
    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_comparison.py --data DIR

Every method is fitted on the same training part, of which ten samples a class have labels. "seen":
accuracy on the training samples whose labels were hidden; "new": on samples that were not there, a
random quarter of the 1,797 digits, MNIST's 10,000 test digits. Means and standard errors over
random draws of the labels, medians of the seconds. Predicting includes the hidden training samples
where a fit does not answer for them.

Parameters are the defaults but for those in the table, and these: ten neighbours in scikit-learn
too; LabelSpreading's RBF kernel has stkr's default length scale, a third of the median distance to
the tenth neighbour: its default gamma does well on digits, but learns nothing on MNIST. By hidden
labels, in their favour: LabelSpreading is shown with alpha = 0.9 too, on digits better than 0.5 and
its default; SVC has C = 10, better than 1, and than C and gamma by cross-validation.

What needs N x N kernel values, or refits on most samples, gets --subset of MNIST's training digits,
all labelled ones among them, and the table says so; with --subset 0 it is left out. STKRClassifierCV
is tried with inverse Laplacians on the neighbour graph only there: the whole grid, with kernel PCA of
up to 512 dimensions and dense kernels, takes many minutes.
"""

import argparse
import dataclasses
import json
import pathlib
import statistics
import time
import typing
import warnings

import numpy as np
import stkr
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

PER_CLASS = 10
NEIGHBOURS = 10
LARGE = 20000  # more samples than this are too many for what is quadratic in them
REPEATS = {"digits": 5, "mnist": 3}


class Problem(typing.NamedTuple):
    x: np.ndarray
    y: np.ndarray
    labeled: np.ndarray
    new_x: np.ndarray
    new_y: np.ndarray

    def partial(self):
        labels = np.full(len(self.y), -1)
        labels[self.labeled] = self.y[self.labeled]
        return labels

    def subset(self, size):
        """As many training samples, the labelled ones first."""
        others = np.setdiff1d(np.arange(len(self.y)), self.labeled)
        others = np.random.default_rng(0).permutation(others)
        rows = np.concatenate([self.labeled, others[:size - len(self.labeled)]])
        return self._replace(x=self.x[rows], y=self.y[rows], labeled=np.arange(len(self.labeled)))


def draw(y, random):
    return np.concatenate([random.choice(np.flatnonzero(y == c), PER_CLASS, replace=False)
                           for c in np.unique(y)])


def digits(folder):
    x, y = load_digits(return_X_y=True)
    x = x / 16.0

    def problem(seed):
        random = np.random.default_rng(seed)
        order = random.permutation(len(y))
        new, train = np.split(order, [len(y) // 4])
        return Problem(x[train], y[train], draw(y[train], random), x[new], y[new])

    return problem


def mnist(folder):
    parts = [np.load(folder / f"mnist_{name}.npz")
             for name in ("train_1of3", "train_2of3", "train_3of3", "test")]
    x = np.concatenate([part["X"] for part in parts]) / np.float32(255)
    y = np.concatenate([part["labels"] for part in parts])

    def problem(seed):
        labeled = draw(y[:60000], np.random.default_rng(seed))
        return Problem(x[:60000], y[:60000], labeled, x[60000:], y[60000:])

    return problem


SETS = {"digits": digits, "mnist": mnist}


@dataclasses.dataclass
class Method:
    name: str
    fit: typing.Callable  # (x, labels with -1 for the hidden ones, threads) -> model
    answers: bool = True  # the fit answers for hidden samples: transduction_
    quadratic: str = ""   # why a large set is too much; {n} samples, {gb} of an N x N matrix
    sets: tuple = tuple(SETS)


def ours(kind, quadratic="", sets=tuple(SETS), **parameters):
    def fit(x, partial, threads):
        return kind(n_jobs=threads, **parameters).fit(x, partial)

    return Method("stkr." + call(kind, parameters), fit, quadratic=quadratic, sets=sets)


def theirs(kind, **parameters):
    """A graph of neighbours in scikit-learn."""
    def fit(x, partial, threads):
        model = kind(kernel="knn", n_neighbors=NEIGHBOURS, n_jobs=threads, **parameters)
        return model.fit(x, partial)

    return Method(call(kind, {"kernel": "knn", **parameters}), fit)


def call(kind, parameters):
    parameters = {**parameters, **parameters.get("kernel_params", {})}
    given = ", ".join(f"{name}={value}" for name, value in parameters.items()
                      if name != "kernel_params")
    return f"{kind.__name__}({given})"


def rbf(**parameters):
    def fit(x, partial, threads):
        some = np.random.default_rng(0).permutation(len(x))[:1000]
        search = NearestNeighbors(n_neighbors=NEIGHBOURS + 1, n_jobs=threads).fit(x)
        scale = np.median(search.kneighbors(x[some])[0][:, -1]) / 3.0
        return LabelSpreading(kernel="rbf", gamma=0.5 / scale**2, **parameters).fit(x, partial)

    return Method(call(LabelSpreading, {"kernel": "rbf", **parameters}), fit,
                  quadratic="its kernel matrix is {gb}")


def self_training(x, partial, threads):
    return SelfTrainingClassifier(SVC(C=10, probability=True, random_state=0)).fit(x, partial)


def supervised(x, partial, threads):
    return SVC(C=10).fit(x[partial >= 0], partial[partial >= 0])


PRODUCTS = "each of its products takes {n} x {n} kernel values"
METHODS = [
    ours(stkr.STKRClassifier, quadratic=PRODUCTS),
    ours(stkr.STKRClassifier, kernel="knn"),
    ours(stkr.STKRClassifier, kernel="knn", kernel_params={"recall": 0.98}, sets=("mnist",)),
    ours(stkr.STKRClassifierCV, sets=("digits",)),
    ours(stkr.STKRClassifierCV, kernel="knn", sets=("digits",)),
    ours(stkr.STKRClassifierCV, kernel="knn", families="inverse_laplacian", sets=("mnist",)),
    ours(stkr.KernelPCAProbe, kernel="knn"),
    ours(stkr.LabelPropagation, kernel="knn"),
    theirs(LabelSpreading),
    theirs(LabelSpreading, alpha=0.9),
    rbf(),
    rbf(alpha=0.9),
    theirs(LabelPropagation),
    Method("SelfTrainingClassifier(SVC(C=10))", self_training, answers=False,
           quadratic="SVC is fitted again and again on most of {n} samples"),
    Method("SVC(C=10)", supervised, answers=False),
]


def seconds(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def run(method, problem, threads):
    """Accuracies on seen and new samples, seconds of fit and of prediction."""
    hidden = np.setdiff1d(np.arange(len(problem.y)), problem.labeled)
    with warnings.catch_warnings():
        # Of components without a label, and of iterations that stop at their limit.
        warnings.simplefilter("ignore")
        fit, model = seconds(lambda: method.fit(problem.x, problem.partial(), threads))
        predict, new = seconds(lambda: model.predict(problem.new_x))
        more, seen = seconds(lambda: model.transduction_[hidden] if method.answers
                             else model.predict(problem.x[hidden]))
    return (float(np.mean(seen == problem.y[hidden])), float(np.mean(new == problem.new_y)),
            fit, predict + more)


def compare(name, folder, options):
    """Rows (method, runs), and remarks on what could not be run as it is."""
    make = SETS[name](folder)
    rows, remarks = {}, []
    for seed in range(options.repeats or REPEATS[name]):
        whole = make(seed)
        for method in METHODS:
            if name not in method.sets or options.only not in method.name:
                continue
            problem, title = whole, method.name
            n = len(whole.y)
            if method.quadratic and n > LARGE:
                why = method.quadratic.format(n=f"{n:,}", gb=f"{8e-9 * n * n:.0f} GB")
                what = f"gets {options.subset:,} samples" if options.subset else "is left out"
                remark = f"{method.name} {what}: {why}"
                remarks += [remark] if remark not in remarks else []
                if not options.subset:
                    continue
                problem = whole.subset(options.subset)
                title += f", {options.subset:,} samples"
            result = run(method, problem, options.threads)
            rows.setdefault(title, []).append(result)
            print(f"{name}, draw {seed}, {title}: seen {100 * result[0]:.2f} %, "
                  f"new {100 * result[1]:.2f} %, {result[2]:.2f} + {result[3]:.2f} s", flush=True)
    return rows, remarks


def accuracy(values):
    text = f"{100 * statistics.mean(values):.1f}"
    if len(values) > 1:
        text += f" ± {100 * statistics.stdev(values) / len(values) ** 0.5:.1f}"
    return text


def table(rows):
    cells = [["method", "seen, %", "new, %", "fit, s", "predict, s"]]
    for title, runs in rows.items():
        seen, new, fit, predict = zip(*runs)
        cells.append([title, accuracy(seen), accuracy(new), f"{statistics.median(fit):.2f}",
                      f"{statistics.median(predict):.2f}"])
    return cells


def aligned(cells):
    widths = [max(map(len, column)) for column in zip(*cells)]
    cells = [cells[0], ["-" * width for width in widths], *cells[1:]]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
                     for row in cells)


def markdown(cells):
    lines = [" | ".join(row) for row in [cells[0], ["---"] * len(cells[0]), *cells[1:]]]
    return "\n".join(f"| {line} |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder of MNIST; without it digits only")
    parser.add_argument("--sets", nargs="+", choices=list(SETS))
    parser.add_argument("--repeats", type=int, help="draws of the labels: 5 of digits, 3 of MNIST")
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--subset", default=10000, type=int)
    parser.add_argument("--only", default="", metavar="TEXT", help="methods whose name has this")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the tables there")
    parser.add_argument("--json", type=pathlib.Path, help="write all results there")
    options = parser.parse_args()
    sets = options.sets or (list(SETS) if options.data else ["digits"])
    if "mnist" in sets and not options.data:
        parser.error("MNIST needs --data DIR, the folder with its four files")
    results, pages = {}, []
    for name in sets:
        rows, remarks = compare(name, options.data, options)
        results[name] = rows
        cells = table(rows)
        draws = options.repeats or REPEATS[name]
        head = f"{name}, {PER_CLASS} labels a class, {draws} draw{'s' if draws > 1 else ''}"
        print(f"\n{head}\n\n{aligned(cells)}\n")
        print("".join(f"{remark}\n" for remark in remarks))
        pages.append("\n\n".join(filter(None, [
            f"### {head}", markdown(cells), "\n".join(f"- {remark}" for remark in remarks)])))
    if options.markdown:
        options.markdown.write_text("\n\n".join(pages) + "\n")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
