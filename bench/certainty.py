#!/usr/bin/python3
"""How often prediction sets contain the right class, and how well probabilities are calibrated.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/certainty.py --data DIR --splits 50

Random labels (not balanced: sets promise coverage if labeled and other samples are drawn alike), all other
samples are scored. `STKRClassifier()` without options on each set:

- leave-one-out: `predict_set(coverage=0.9)`, from labels left out in closed form; all labels are used.
- split: the plain peer. A random half of the labels fits the same classifier, and the probabilities of the other
  half's right classes rank those of all classes; 90 % sets by the same rule.

The expected calibration error has 15 bins of equal width over the largest probability. `before`: shares of the
positive scores, as without calibration. The log loss is that of the calibrated probabilities. Prints means over the
splits with standard errors.

--more-labels measures what calibration could do with labels that it does not have: the calibrated probabilities,
raised to a power (temperature scaling) with the smallest log loss on as many other labels again, or on all other
labels, where that is the best power. Other sets: --sets citeseer pubmed dblp ssl_coil2 ssl_bci wine breast_cancer.
"""

import argparse
import pathlib

import numpy as np
import scipy.optimize
import scipy.sparse
import stkr
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

COVERAGE = 0.9


def load(name, folder):
    """Samples, classes and the number of labels."""
    if name == "digits":
        x, y = load_digits(return_X_y=True)
        return x, y, 100
    if name == "wine":
        return *load_wine(return_X_y=True), 30
    if name == "breast_cancer":
        return *load_breast_cancer(return_X_y=True), 50
    data = np.load(folder / f"{name}.npz", allow_pickle=False)
    if name.startswith("ssl_") or name == "g50c":
        return data["X"], data["labels"], 100
    keys = data.files
    prefix = "adj_" if "adj_data" in keys else ""
    graph = scipy.sparse.csr_matrix((data[prefix + "data"], data[prefix + "indices"], data[prefix + "indptr"]),
                                    shape=data[prefix + "shape"])
    graph = graph.maximum(graph.T)
    y = data["labels"] if "labels" in keys else data["y"]
    return graph, y, 20 * len(np.unique(y))


def shares(scores):
    """Uncalibrated probabilities: shares of the positive scores."""
    positive = np.maximum(scores, 0)
    total = positive.sum(axis=1, keepdims=True)
    return np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / scores.shape[1])


def calibration_error(probabilities, right, bins=15):
    confidence = probabilities.max(axis=1)
    hit = probabilities.argmax(axis=1) == right
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    return sum(abs(hit[bin_of == b].mean() - confidence[bin_of == b].mean()) * (bin_of == b).mean()
               for b in range(bins) if (bin_of == b).any())


def log_loss(probabilities, right):
    known = right >= 0
    return -np.log(np.maximum(probabilities[known, right[known]], 1e-12)).mean()


def fit(x, y, labeled, **options):
    partial = np.full(len(y), -1)
    partial[labeled] = y[labeled]
    return stkr.STKRClassifier(**options).fit(x, partial)


def scores_of(model):
    return model._fitted()[0]  # not public: probabilities are calibrated


def one_split(x, y, labels, random):
    labeled = random.choice(len(y), labels, replace=False)
    others = np.setdiff1d(np.arange(len(y)), labeled)
    model = fit(x, y, labeled)
    column = {c: k for k, c in enumerate(model.classes_)}
    right = np.array([column.get(c, -1) for c in y[others]])
    sets = model.predict_set(coverage=COVERAGE)[others]
    result = {"coverage": np.mean([r >= 0 and s[r] for s, r in zip(sets, right)]), "size": sets.sum(axis=1).mean(),
              "accuracy": np.mean(model.transduction_[others] == y[others]),
              "before": calibration_error(shares(scores_of(model)[others]), right),
              "after": calibration_error(model.label_distributions_[others], right),
              "log loss": log_loss(model.label_distributions_[others], right)}
    half = fit(x, y, labeled[::2])
    column = {c: k for k, c in enumerate(half.classes_)}
    p = half.label_distributions_
    held = labeled[1::2]
    ranked = np.sort([p[i, column[y[i]]] if y[i] in column else 0.0 for i in held])
    rank = np.searchsorted(ranked, p[others], side="right") + 1
    peer = rank > (1 - COVERAGE) * (len(held) + 1) + 1e-9
    at = np.array([column.get(c, -1) for c in y[others]])
    result["peer coverage"] = np.mean([r >= 0 and s[r] for s, r in zip(peer, at)])
    result["peer size"] = peer.sum(axis=1).mean()
    return result


def sharpened(probabilities, power):
    scaled = np.maximum(probabilities, 1e-12) ** power
    return scaled / scaled.sum(axis=1, keepdims=True)


def best_power(probabilities, right):
    loss = lambda log_power: log_loss(sharpened(probabilities, np.exp(log_power)), right)
    return np.exp(scipy.optimize.minimize_scalar(loss, bounds=(-3, 3), method="bounded").x)


def with_more_labels(x, y, labels, random):
    labeled = random.choice(len(y), labels, replace=False)
    others = random.permutation(np.setdiff1d(np.arange(len(y)), labeled))
    model = fit(x, y, labeled)
    column = {c: k for k, c in enumerate(model.classes_)}
    right = np.array([column.get(c, -1) for c in y])
    p = model.label_distributions_
    more, rest = others[:labels], others[labels:]
    return {"after": calibration_error(p[rest], right[rest]),
            "twice the labels": calibration_error(sharpened(p[rest], best_power(p[more], right[more])), right[rest]),
            "all labels": calibration_error(sharpened(p[rest], best_power(p[rest], right[rest])), right[rest])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--sets", nargs="+", default=["digits", "cora", "photo", "cs", "ssl_digit1", "g50c"])
    parser.add_argument("--more-labels", action="store_true")
    arguments = parser.parse_args()
    split = one_split
    columns = ["accuracy", "coverage", "size", "peer coverage", "peer size", "before", "after", "log loss"]
    titles = ["accuracy", "coverage", "set size", "split: coverage", "set size", "ECE before", "after", "log loss"]
    if arguments.more_labels:
        split, columns = with_more_labels, ["after", "twice the labels", "all labels"]
        titles = ["ECE after", "with twice the labels", "with all labels"]
    print("| set | labels | " + " | ".join(titles) + " |")
    print("| --- |" + " ---: |" * (1 + len(titles)))
    for name in arguments.sets:
        x, y, labels = load(name, arguments.data)
        y = np.unique(y, return_inverse=True)[1]
        found = [split(x, y, labels, np.random.RandomState(seed)) for seed in range(arguments.splits)]
        cells = []
        for column in columns:
            values = np.array([one[column] for one in found])
            scale = 1 if "size" in column or column == "log loss" else 100
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0
            cells.append(f"{scale * values.mean():.2f} ± {scale * error:.2f}")
        print(f"| {name} | {labels} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
