#!/usr/bin/python3
"""One to ten labels per class on MNIST: stkr and its peers on the same neighbor graph.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_command stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/few_labels.py --data DIR --draws 20

All 70,000 digits: the 20 features of a variational autoencoder (`mnist_vae.npz`), or with --pixels the raw
pixels. One graph for all: ten neighbors, an edge if either point is a neighbor of the other, self-tuned
weights (`stkr graph`). Label draws are the same for every method, no method has a parameter to choose, and
all samples but the labeled ones are scored.

- STKR: `STKRClassifier("graph")` with its defaults (inverse Laplacian, eta = 0.99, ridge 0.1).
- STKR, deflated: the same with eta = 1 and without the leading eigenvectors.
- Poisson learning (Calder, Cook, Thorpe and Slepcev 2020), here in SciPy: L u = sum_i (y_i - mean y) delta_i
  with L = D - W, by conjugate gradients with the diagonal as preconditioner to 1e-8.
- Laplace learning, here in SciPy: u is harmonic and equals y at the labels; the same solver.
- LabelSpreading: scikit-learn's, alpha = 0.99, up to 1,000 steps, with its own tolerance of 1e-3.
- nearest label: the class of the nearest labeled sample.

Prints accuracy in percent, mean and standard error over the draws, and the median seconds per draw without
the graph; stkr uses all cores, the others one. About 40 minutes on two cores for 20 draws.
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
from comparison import NEIGHBORS, draw, load_mnist, markdown, percent, read_graph, seconds, spread
from sklearn.neighbors import KNeighborsClassifier

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


def poisson(weights, y, labeled):
    laplacian = scipy.sparse.csgraph.laplacian(weights).tocsr()
    source = np.zeros((len(y), len(np.unique(y))))
    targets = one_hot(y, labeled)
    source[labeled] = targets - targets.mean(axis=0)
    return np.unique(y)[conjugate_gradients(laplacian, source).argmax(axis=1)]


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


def ours(**options):
    def answers(weights, y, labeled):
        return stkr.STKRClassifier("graph", **options).fit(weights, y, labeled=labeled).transduction_
    return answers


def nearest(x):
    def answers(_, y, labeled):
        return KNeighborsClassifier(1).fit(x[labeled], y[labeled]).predict(x)
    return answers


def make_graph(program, x):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        np.save(folder / "x.npy", x)
        subprocess.run([program, "graph", folder / "x.npy", "-o", folder / "graph.npz", "-k", str(NEIGHBORS)],
                       check=True, stdout=subprocess.DEVNULL)
        return read_graph(folder / "graph.npz")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the MNIST files")
    parser.add_argument("--pixels", action="store_true", help="raw pixels instead of 20 features")
    parser.add_argument("--per-class", type=int, nargs="+", default=[1, 2, 3, 5, 10])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/stkr")
    arguments = parser.parse_args()
    if arguments.pixels:
        x, y = load_mnist(arguments.data)
    else:
        archive = np.load(arguments.data / "mnist_vae.npz")
        x, y = archive["X"], archive["labels"]
    weights = make_graph(arguments.program, x)
    methods = {
        "STKR": ours(),
        "STKR, deflated": ours(eta=1.0, kernel_params={"deflate": True}),
        "Poisson learning": poisson,
        "Laplace learning": laplace,
        "LabelSpreading": spreading,
        "nearest label": nearest(x),
    }
    accuracies = {(name, per): [] for name in methods for per in arguments.per_class}
    times = {name: [] for name in methods}
    for per in arguments.per_class:
        for k in range(arguments.draws):
            labeled = draw(y, per, np.random.default_rng(1000 * per + k))
            hidden = np.setdiff1d(np.arange(len(y)), labeled)
            for name, method in methods.items():
                took, answers = seconds(lambda: method(weights, y, labeled))
                times[name].append(took)
                accuracies[name, per].append(float(np.mean(answers[hidden] == y[hidden])))
    rows = [["labels per class", *map(str, arguments.per_class), "seconds"]]
    for name in methods:
        rows.append([name, *(percent(accuracies[name, per]) for per in arguments.per_class),
                     f"{statistics.median(times[name]):.1f}"])
    print(markdown(rows))


if __name__ == "__main__":
    main()
