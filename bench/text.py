#!/usr/bin/python3
"""Texts as sparse TF-IDF rows: fit and selection times and accuracy, stkr beside scikit-learn.

    sudo apt-get install python3-scipy python3-sklearn
    scripts/prepare release stkr_command stkr_python
    PYTHONPATH=build/release/python /usr/bin/python3 bench/text.py --stkr build/release/bin/stkr

Nothing is downloaded: 1,500 documents of 60 to 300 words on ten topics, from 12,000 terms. Terms follow Zipf's law;
each topic has its own law on a permuted vocabulary, and a document draws 7 % of its words from its topic and the
rest from the common law. Words are counted, scaled to TF-IDF and to length 1 by scikit-learn. Ten documents per
topic are labeled, drawn once per seed; all methods get the same draws, and all other documents are scored.

- STKR, cosine / auto: `STKRClassifier("cosine")` and `STKRClassifier()` on the sparse matrix, transductive.
- STKR, dense: the same as the first on `X.toarray()`.
- select: `stkr select --kernels cosine,linear,knn --leave-one-out`, the whole default grid, as a command with the
  file of the sparse matrix; its time includes starting, reading and writing.
- LabelSpreading: scikit-learn's, with the non-negative cosine as kernel function, alpha = 0.2, all documents.
- KernelRidge: scikit-learn's, cosine kernel, alpha = 0.1, one column per topic, labeled documents only.
- LogisticRegression: scikit-learn's, C = 10, labeled documents only.

Prints the median seconds and the mean accuracy over the draws as a Markdown table.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp
import stkr
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.semi_supervised import LabelSpreading

TOPICS = 10


def documents(count, terms, seed=0):
    """Return the TF-IDF matrix and the topic of each document."""
    random = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, terms + 1)
    common /= common.sum()
    laws = np.stack([common[random.permutation(terms)] for _ in range(TOPICS)])
    topic = random.integers(TOPICS, size=count)
    rows, columns = [], []
    for i, t in enumerate(topic):
        length = random.integers(60, 301)
        own = random.random(length) < 0.07
        words = np.where(own, random.choice(terms, length, p=laws[t]), random.choice(terms, length, p=common))
        rows.append(np.full(length, i))
        columns.append(words)
    counts = sp.coo_matrix(
        (np.ones(sum(map(len, rows))), (np.concatenate(rows), np.concatenate(columns))), shape=(count, terms)
    )
    return TfidfTransformer().fit_transform(counts.tocsr()), topic


def timed(work):
    start = time.perf_counter()
    answers = work()
    return time.perf_counter() - start, answers


def label_spreading(X, y):
    """It takes no sparse matrix: its points are the numbers of the documents, whose kernel is looked up."""
    K = np.maximum(cosine_similarity(X), 0)
    numbers = np.arange(X.shape[0])[:, None]
    return LabelSpreading(lambda a, b: K[a.ravel().astype(int)[:, None], b.ravel().astype(int)], max_iter=1000).fit(
        numbers, y
    ).transduction_


def kernel_ridge(X, topic, labeled):
    targets = np.eye(TOPICS)[topic[labeled]]
    return KernelRidge(alpha=0.1, kernel="cosine").fit(X[labeled], targets).predict(X).argmax(axis=1)


def select(command, X, topic, labeled, folder):
    np.savez(folder / "text.npz", X_data=X.data, X_indices=X.indices, X_indptr=X.indptr, X_shape=X.shape,
             labels=topic, labeled=labeled)
    run = [command, "select", folder / "text.npz", "--kernels", "cosine,linear,knn", "--leave-one-out", "-o",
           folder / "best.npz"]
    seconds, _ = timed(lambda: subprocess.run(run, check=True, capture_output=True, text=True))
    return seconds, stkr.load(folder / "best.npz").transduction_


def methods(X, topic, labeled):
    y = np.full(len(topic), -1)
    y[labeled] = topic[labeled]
    return {
        'STKR, `"cosine"`': lambda: stkr.STKRClassifier("cosine").fit(X, y).transduction_,
        "STKR, auto": lambda: stkr.STKRClassifier().fit(X, y).transduction_,
        'STKR, `"cosine"`, dense': lambda: stkr.STKRClassifier("cosine").fit(X.toarray(), y).transduction_,
        "LabelSpreading, cosine": lambda: label_spreading(X, y),
        "KernelRidge, cosine": lambda: kernel_ridge(X, topic, labeled),
        "LogisticRegression": lambda: LogisticRegression(C=10, max_iter=1000)
        .fit(X[labeled], topic[labeled])
        .predict(X),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stkr", type=pathlib.Path, help="the command, for `stkr select`")
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--terms", type=int, default=12_000)
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, topic = documents(options.documents, options.terms)
    print(f"{X.shape[0]} documents, {X.shape[1]} terms, {X.nnz} entries ({X.nnz / X.shape[0]:.0f} per document)\n")
    found = {}
    for draw in range(options.draws):
        random = np.random.default_rng(100 + draw)
        labeled = np.concatenate([random.choice(np.flatnonzero(topic == t), 10, False) for t in range(TOPICS)])
        others = np.setdiff1d(np.arange(len(topic)), labeled)
        runs = {name: timed(work) for name, work in methods(X, topic, labeled).items()}
        if options.stkr:
            with tempfile.TemporaryDirectory() as folder:
                seconds, answers = select(options.stkr, X, topic, labeled, pathlib.Path(folder))
            runs["`stkr select`, whole grid"] = seconds, answers
        for name, (seconds, answers) in runs.items():
            right = np.mean(np.asarray(answers)[others].astype(int) == topic[others])
            found.setdefault(name, []).append((seconds, right))
    print("| method | seconds | accuracy |\n| --- | --- | --- |")
    for name, results in found.items():
        seconds, right = zip(*results)
        print(f"| {name} | {statistics.median(seconds):.2f} | {100 * statistics.mean(right):.1f} % |")


if __name__ == "__main__":
    main()
