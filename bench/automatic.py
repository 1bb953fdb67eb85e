#!/usr/bin/python3
"""What `STKRClassifier()` chooses, beside three choices made in advance, on ten small data sets.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_command stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/automatic.py --data DIR --splits 6

The first group of sets was used to design the choice, the second to confirm it. Official splits where the files
have them (g50c, digit1, coil2, bci, g241c), else random ones with equally many labels per class, seeds 100, 101, ...
1, 2, 5 and 10 labels per class, or 10 and 100 labels in all of two classes. Wine, breast cancer and Iris are
standardized, digits are divided by their largest value. `mnist` are 1,500 random digits of the test set.

- auto: `STKRClassifier()`.
- inverse Laplacian: ten neighbors, eta = 0.99, ridge 0.1.
- poisson: ten neighbors, the Poisson transform, ridge 1000 (Poisson learning).
  With one label per class, auto uses this transform with ridge 1 and k = log2 N.
- learned: ten neighbors, `transform="learned"`.

Prints the error in percent on the samples without a label, mean and standard error over the splits, and the mean of
these over the rows of a group; then the kernels that auto chose, with their number of splits. Twelve splits take
about five minutes on two cores.
"""

import argparse
import collections
import pathlib
import warnings

import numpy as np
import sklearn.datasets
import stkr
from comparison import draw, markdown

GROUPS = {"design": ("digit1", "g50c", "digits", "wine"),
          "confirmation": ("coil2", "bci", "g241c", "mnist", "breast_cancer", "iris")}
METHODS = {
    "auto": {},
    "inverse Laplacian": {"kernel": "knn", "spectral_transform": "inverse_laplacian", "ridge": 0.1},
    "poisson": {"kernel": "knn", "spectral_transform": "poisson", "ridge": 1000},
    "learned": {"kernel": "knn", "spectral_transform": "learned"},
}


def load(name, folder):
    """Points, classes from 0, and the official splits by their number of labels."""
    if name in ("wine", "breast_cancer", "iris"):
        x, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
        return (x - x.mean(axis=0)) / x.std(axis=0), y, {}
    if name == "digits":
        x, y = sklearn.datasets.load_digits(return_X_y=True)
        return x / 16.0, y, {}
    if name == "mnist":
        archive = np.load(folder / "mnist_test.npz")
        chosen = np.random.default_rng(0).choice(10000, 1500, replace=False)
        return archive["X"][chosen] / 255.0, archive["labels"][chosen], {}
    path = folder / f"{name}.npz"
    archive = np.load(path if path.exists() else folder / f"ssl_{name}.npz")
    splits = {int(key.removeprefix("labeled_")): archive[key] for key in archive.files if key.startswith("labeled_")}
    return archive["X"].astype(float), np.unique(archive["labels"], return_inverse=True)[1], splits


def label_sets(y, official, count):
    """{number of labels: labeled samples of each split}"""
    if official:
        return {labels: list(splits[:count]) for labels, splits in sorted(official.items())}
    classes = len(np.unique(y))
    per_class = (5, 50) if classes == 2 else (1, 2, 5, 10)
    return {classes * per: [draw(y, per, np.random.default_rng(100 + k)) for k in range(count)] for per in per_class}


def errors(x, y, labeled):
    """The error of each method, and the kernel that auto chose."""
    hidden = np.setdiff1d(np.arange(len(y)), labeled)
    known = np.full(len(y), y[labeled[0]])  # the classes of the others are hidden
    known[labeled] = y[labeled]
    result, chosen = [], ""
    for name, options in METHODS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about samples that no label reaches
            model = stkr.STKRClassifier(**options).fit(x, known, labeled=labeled)
        result.append(100.0 * float(np.mean(model.transduction_[hidden] != y[hidden])))
        if name == "auto":
            chosen = model.summary_.tried[0][0].split(" (")[0]
    return result, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the data files")
    parser.add_argument("--splits", type=int, default=6)
    arguments = parser.parse_args()
    rows = [["set", "labels", *METHODS, "chosen by auto"]]
    for group, names in GROUPS.items():
        means = []
        for name in names:
            x, y, official = load(name, arguments.data)
            for labels, sets in label_sets(y, official, arguments.splits).items():
                found = [errors(x, y, labeled) for labeled in sets]
                means.append(np.mean([one for one, _ in found], axis=0))
                kernels = collections.Counter(kernel for _, kernel in found).most_common()
                spread = np.std([one for one, _ in found], axis=0, ddof=1) / np.sqrt(len(found))
                rows.append([name, str(labels), *(f"{mean:.1f} ± {se:.1f}" for mean, se in zip(means[-1], spread)),
                             ", ".join(f"{kernel}: {count}" for kernel, count in kernels)])
                print("\t".join(rows[-1]), flush=True)
        rows.append([f"mean, {group}", "", *(f"{mean:.1f}" for mean in np.mean(means, axis=0)), ""])
    print(markdown(rows))


if __name__ == "__main__":
    main()
