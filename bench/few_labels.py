#!/usr/bin/python3
"""One to ten labels per class on MNIST: stkr and its peers on the same neighbor graph.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_command stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/few_labels.py --data DIR --draws 20 --json FILE

All 70,000 digits: the 20 features of a variational autoencoder (`mnist_vae.npz`), or with --pixels the raw
pixels. One graph for all: ten neighbors, an edge if either point is a neighbor of the other, self-tuned
weights (`stkr graph`); with --principal-components 50, neighbors in so many components. Label draws are the same
for every method, and all samples but the labeled ones are scored. Except for SVC, no method has a parameter to
choose.

Without class sizes:

- STKR, auto: `STKRClassifier()` with no options, called on the graph.
- STKR, inverse Laplacian: fixed, eta = 0.99, ridge 0.1.
- STKR, poisson: the Poisson transform, fixed, ridge 0.1.
- Poisson learning (Calder, Cook, Thorpe and Slepcev 2020), here in SciPy: L u = sum_i (y_i - mean y) delta_i
  with L = D - W, by conjugate gradients with the diagonal as preconditioner to 1e-8.
- Laplace learning, here in SciPy: u is harmonic and equals y at the labels; the same solver.
- LabelSpreading: scikit-learn's, alpha = 0.99, up to 1,000 steps, with its own tolerance of 1e-3.
- SVC: scikit-learn's, on the points, RBF. Twelve candidates: gamma of 1/3, 1 and 3 times 1/(features times
  variance of all points), C = 1, 10, 100 and 0.1; the most correct predictions in stratified folds of the labels,
  as many as labels per class, at most five; the first if equal. With one label per class: the first.
- nearest label: the class of the nearest labeled sample (1-NN).

Given the true class sizes, which come from the hidden labels:

- STKR, auto: with the true shares as `prior`.
- PoissonMBO (same paper, algorithm 2), here in SciPy with the paper's constants: from Poisson learning, 20 times
  40 explicit steps of the heat equation with the Poisson source (mu = 1, step 1/max degree), each time followed
  by the assignment to classes with one weight per class; 100 gradient steps (10, from 0.5 to 2) find weights
  that give each class its share. It ends early if an assignment repeats, since all later ones are then equal.

Prints accuracy in percent, mean and standard error over the draws, and the median seconds per draw without
the graph; stkr uses all cores, the others one. --json FILE stores finished parts; an interrupted run resumes
from it. Estimated: a minute and a half per draw on two idle cores, half of it PoissonMBO.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
import stkr
from comparison import NEIGHBORS, Results, digest, draw, load_mnist, markdown, percent, read_graph, seconds, spread
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

ROOT = pathlib.Path(__file__).resolve().parent.parent


def conjugate_gradients(matrix, b):
    """Column by column, with the diagonal as preconditioner."""
    inverse = scipy.sparse.diags(1.0 / matrix.diagonal())
    columns = []
    for column in b.T:
        x, failed = scipy.sparse.linalg.cg(matrix, column, tol=1e-8, maxiter=5000, M=inverse)
        if failed:
            raise SystemExit("conjugate gradients did not converge")
        columns.append(x)
    return np.stack(columns, axis=1)


def one_hot(y, labeled):
    return (y[labeled][:, None] == np.unique(y)[None, :]).astype(float)


def poisson_source(y, labeled):
    source = np.zeros((len(y), len(np.unique(y))))
    targets = one_hot(y, labeled)
    source[labeled] = targets - targets.mean(axis=0)
    return source


def poisson(weights, y, labeled):
    laplacian = scipy.sparse.csgraph.laplacian(weights).tocsr()
    return np.unique(y)[conjugate_gradients(laplacian, poisson_source(y, labeled)).argmax(axis=1)]


def with_class_shares(u, shares):
    """Each sample's class by u times one weight per class, such that classes have about these shares."""
    s = np.ones(len(shares))
    for _ in range(100):
        found = np.bincount((u * s).argmax(axis=1), minlength=len(shares)) / len(u)
        s = np.clip(s + 10.0 * (shares - found), 0.5, 2.0)
    return (u * s).argmax(axis=1)


def poisson_mbo(weights, y, labeled):
    classes, sizes = np.unique(y, return_counts=True)
    laplacian = scipy.sparse.csgraph.laplacian(weights).tocsr()
    source = poisson_source(y, labeled)
    u = conjugate_gradients(laplacian, source)
    step = 1.0 / laplacian.diagonal().max()
    heat = (scipy.sparse.identity(len(y)) - step * laplacian).tocsr()
    before = None
    for _ in range(20):
        for _ in range(40):
            u = heat @ u + step * source
        assigned = with_class_shares(u, sizes / len(y))
        if before is not None and np.array_equal(assigned, before):
            break
        before, u = assigned, np.eye(len(classes))[assigned]
    return classes[assigned]


def laplace(weights, y, labeled):
    free = np.setdiff1d(np.arange(len(y)), labeled)
    laplacian = scipy.sparse.csgraph.laplacian(weights).tocsr()
    b = weights[free][:, labeled] @ one_hot(y, labeled)
    answers = y.copy()
    answers[free] = np.unique(y)[conjugate_gradients(laplacian[free][:, free], b).argmax(axis=1)]
    return answers


def spreading(weights, y, labeled):
    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]
    return spread(weights, partial, 0.99).answers


def ours(*kernel, shares=False, **options):
    """shares: give the true class shares."""
    def answers(weights, y, labeled):
        known = np.full(len(y), y[labeled[0]])  # the classes of the others are hidden
        known[labeled] = y[labeled]
        if shares:
            options.update(prior=np.unique(y, return_counts=True)[1] / len(y))
        return stkr.STKRClassifier(*kernel, **options).fit(weights, known, labeled=labeled).transduction_
    return answers


def support_vectors(x):
    unit = 1.0 / (x.shape[1] * float(x.var()))

    def answers(_, y, labeled):
        candidates = [SVC(C=cost, gamma=factor * unit) for factor in (1.0, 1 / 3, 3.0)
                      for cost in (1.0, 10.0, 100.0, 0.1)]
        points, classes = x[labeled], y[labeled]
        folds = min(5, len(labeled) // len(np.unique(classes)))
        right = [0] * len(candidates)
        if folds > 1:
            for train, held in StratifiedKFold(folds, shuffle=True, random_state=0).split(points, classes):
                for k, model in enumerate(candidates):
                    found = model.fit(points[train], classes[train]).predict(points[held])
                    right[k] += int(np.sum(found == classes[held]))
        return candidates[int(np.argmax(right))].fit(points, classes).predict(x)
    return answers


def nearest(x):
    def answers(_, y, labeled):
        return KNeighborsClassifier(1).fit(x[labeled], y[labeled]).predict(x)
    return answers


def make_graph(program, x, components):
    options = ["--principal-components", str(components)] if components else []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        np.save(folder / "x.npy", x)
        subprocess.run([program, "graph", folder / "x.npy", "-o", folder / "graph.npz", "-k", str(NEIGHBORS),
                        *options], check=True, stdout=subprocess.DEVNULL)
        return read_graph(folder / "graph.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the MNIST files")
    parser.add_argument("--pixels", action="store_true", help="raw pixels instead of 20 features")
    parser.add_argument("--principal-components", type=int, default=0,
                        help="search neighbors in so many of them (default: in all features)")
    parser.add_argument("--per-class", type=int, nargs="+", default=[1, 2, 3, 4, 5, 10])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--methods", nargs="+", help="only these rows")
    parser.add_argument("--json", type=pathlib.Path, help="store finished parts there, and resume from it")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/stkr")
    arguments = parser.parse_args()
    if arguments.pixels:
        x, y = load_mnist(arguments.data)
    else:
        archive = np.load(arguments.data / "mnist_vae.npz")
        x, y = archive["X"], archive["labels"]
    weights = make_graph(arguments.program, x, arguments.principal_components)
    methods = {
        "STKR, auto": ours(),
        "STKR, inverse Laplacian": ours("graph", spectral_transform="inverse_laplacian", ridge=0.1),
        "STKR, poisson": ours("graph", spectral_transform="poisson", ridge=0.1),
        "Poisson learning": poisson,
        "Laplace learning": laplace,
        "LabelSpreading": spreading,
        "SVC": support_vectors(x),
        "nearest label": nearest(x),
        "STKR, auto, given class sizes": ours(shares=True),
        "PoissonMBO, given class sizes": poisson_mbo,
    }
    if arguments.methods:
        methods = {name: methods[name] for name in arguments.methods}
    results = Results(arguments.json, pixels=arguments.pixels, neighbors=NEIGHBORS,
                      components=arguments.principal_components)
    build = digest(stkr._core.__file__)  # stkr's rows are measured again with another build, the others are not
    accuracies = {(name, per): [] for name in methods for per in arguments.per_class}
    times = {name: [] for name in methods}
    for per in arguments.per_class:
        for k in range(arguments.draws):
            labeled = draw(y, per, np.random.default_rng(1000 * per + k))
            hidden = np.setdiff1d(np.arange(len(y)), labeled)

            def once(method):
                took, answers = seconds(lambda: method(weights, y, labeled))
                return [took, float(np.mean(answers[hidden] == y[hidden]))]

            for name, method in methods.items():
                key = f"{name} / {per} / {k}" + (f" / {build}" if name.startswith("STKR") else "")
                took, accuracy = results.measure(key, lambda: once(method))
                times[name].append(took)
                accuracies[name, per].append(accuracy)
    rows = [["labels per class", *map(str, arguments.per_class), "seconds"]]
    for name in methods:
        rows.append([name, *(percent(accuracies[name, per]) for per in arguments.per_class),
                     f"{statistics.median(times[name]):.1f}"])
    print(markdown(rows))


if __name__ == "__main__":
    main()
