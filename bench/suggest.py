#!/usr/bin/python3
"""Labels that stkr suggests beside random ones.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/suggest.py --data DIR --seeds 20

Both start from the same random labels, one per class. `suggested`: `STKRClassifier().suggest` adds labels in
batches of 5 until there are --labels of them, each batch after a new fit. `random`: random labels up to the same
number, and up to 100. Accuracy of `STKRClassifier()` without options on all samples that have no label in either,
in percent, mean and standard error over the seeds; median seconds of one call of `suggest` and of the fit before it.

MNIST: the 70,000 samples of `mnist_vae.npz` on the graph of ten neighbors that `stkr graph` makes.
--json FILE stores finished seeds; an interrupted run resumes from it.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np
import stkr
from certainty import load
from comparison import NEIGHBORS, Results, read_graph, seconds

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = 5


def load_set(name, folder):
    if name != "mnist":
        return load(name, folder)[:2]
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "graph.npz"
        subprocess.run([ROOT / "build" / "release" / "bin" / "stkr", "graph", folder / "mnist_vae.npz", "-o", path,
                        "--neighbors", str(NEIGHBORS), "-q"], check=True)
        graph = read_graph(path)
    data = np.load(folder / "mnist_vae.npz")
    return graph, data["labels"]


def fit(x, y, labeled, seed):
    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]
    return stkr.STKRClassifier(random_state=seed).fit(x, partial)


def one_seed(x, y, labels, criterion, seed):
    random = np.random.RandomState(seed)
    start = [random.choice(np.flatnonzero(y == c)) for c in np.unique(y)]
    rest = random.permutation(np.setdiff1d(np.arange(len(y)), start))
    chosen, times, fits = list(start), [], []
    while len(chosen) < labels:
        fitting, model = seconds(lambda: fit(x, y, chosen, seed))
        count = min(BATCH, labels - len(chosen))
        elapsed, suggested = seconds(lambda: model.suggest(count, criterion))
        chosen += suggested.tolist()
        times.append(elapsed)
        fits.append(fitting)
    drawn = start + rest.tolist()
    scored = np.setdiff1d(np.arange(len(y)), np.concatenate([chosen, drawn[:100]]))

    def accuracy(labeled):
        return 100 * np.mean(fit(x, y, labeled, seed).transduction_[scored] == y[scored])

    return (accuracy(chosen), accuracy(drawn[:labels]), accuracy(drawn[:100]), statistics.median(times),
            statistics.median(fits))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--labels", type=int, default=30)
    parser.add_argument("--criterion", default="error", help="of STKRClassifier.suggest")
    parser.add_argument("--sets", nargs="+", default=["digits", "cora", "mnist"])
    parser.add_argument("--json", type=pathlib.Path, help="store finished seeds there, and resume from it")
    arguments = parser.parse_args()
    results = Results(arguments.json, labels=arguments.labels, criterion=arguments.criterion)
    print(f"| set | {arguments.labels} suggested | {arguments.labels} random | 100 random | seconds | fit |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in arguments.sets:
        x, y = load_set(name, arguments.data)
        y = np.unique(y, return_inverse=True)[1]
        found = np.array([results.measure(f"{name} {seed}", lambda: one_seed(x, y, arguments.labels,
                                                                             arguments.criterion, seed))
                          for seed in range(arguments.seeds)])
        error = found.std(axis=0, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.zeros(5)
        cells = [f"{m:.1f} ± {e:.1f}" for m, e in zip(found.mean(axis=0)[:3], error)]
        cells += [f"{t:.2f}" for t in np.median(found[:, 3:], axis=0)]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
