#!/usr/bin/python3
"""Compares the planned memory of commands with their peak memory: memory_plan.py STKR [--all].

Every case runs a command and compares its plan with its peak resident set size. A plan below the peak violates
the --memory limit; a plan far above it rejects runs that would fit. Prints a table; exits with 1 unless plan/peak is
between 1.0 and 1.3. Without --all, runs only the cases that take a second or two.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9}


# Files are made in a separate process, because a child's peak includes its parent's memory at the fork.
def points(rows, columns, classes=5):
    import numpy as np

    random = np.random.default_rng(1)
    labels = random.integers(classes, size=rows)
    x = random.normal(size=(rows, columns)) + 3.0 * random.normal(size=(classes, columns))[labels]
    return x, labels


def save_points(path, rows, columns, labeled=100):
    import numpy as np

    x, labels = points(rows, columns)
    labels[labeled:] = -1
    np.savez(path, X=x, labels=labels)


def save_graph(path, nodes, degree, labeled=100):
    import numpy as np

    random = np.random.default_rng(2)
    half = nodes * degree // 2
    labels = random.integers(5, size=nodes)
    order = np.argsort(labels, kind="stable")
    rows = random.integers(nodes, size=half)
    # Mostly neighbors in class order.
    columns = (rows + random.geometric(0.01, size=half)) % nodes
    i, j = order[np.r_[rows, columns]], order[np.r_[columns, rows]]
    keys = np.unique(i * nodes + j)
    i, j = keys // nodes, keys % nodes
    indptr = np.searchsorted(i, np.arange(nodes + 1))
    labels[labeled:] = -1
    np.savez(path, adj_data=np.ones(len(j)), adj_indices=j.astype(np.int32), adj_indptr=indptr,
             adj_shape=[nodes, nodes], labels=labels)


def save_csv(path, rows, columns):
    x, labels = points(rows, columns)
    with open(path, "w") as out:
        out.write(",".join(f"feature{c}" for c in range(columns)) + ",label\n")
        for row, label in zip(x, labels):
            out.write(",".join(f"{v:.4f}" for v in row) + f",{label}\n")


def save_categories(path, rows, columns, levels):
    x, labels = points(rows, columns)
    with open(path, "w") as out:
        out.write("id," + ",".join(f"c{c}" for c in range(columns)) + ",label\n")
        for i, (row, label) in enumerate(zip(x, labels)):
            texts = ",".join(f"t{abs(int(1000 * v)) % levels}" for v in row)
            out.write(f"n{i},{texts},{label if i < 100 else ''}\n")


def save_kernel(path, size):
    import numpy as np

    x, labels = points(size, 20)
    squares = (x**2).sum(1)
    k = np.exp(-(squares[:, None] + squares - 2 * x @ x.T) / 200)
    labels[100:] = -1
    np.savez(path, K=(k + k.T) / 2, labels=labels)


def save_words(path, rows, columns, words):
    import numpy as np

    random = np.random.default_rng(3)
    labels = random.integers(5, size=rows)
    # Each class has its own part of the vocabulary.
    indices = (random.integers(columns // 2, size=(rows, words)) + labels[:, None] * (columns // 10)) % columns
    labels[100:] = -1
    np.savez(path, X_data=np.ones(rows * words), X_indices=indices.ravel().astype(np.int32),
             X_indptr=np.arange(rows + 1) * words, X_shape=[rows, columns], labels=labels)


# name, function that makes the file, command, quick
CASES = [
    ("neighbor graph, cells", lambda f: save_points(f / "in.npz", 100_000, 32),
     "graph in.npz -o out.npz --recall 0.99", False),
    ("neighbor graph, wide cells", lambda f: save_points(f / "in.npz", 60_000, 100),
     "graph in.npz -o out.npz --recall 0.9", False),
    ("neighbor graph, exact", lambda f: save_points(f / "in.npz", 30_000, 60),
     "graph in.npz -o out.npz", True),
    ("fit on a table's neighbor graph", lambda f: save_csv(f / "in.csv", 60_000, 50),
     "fit in.csv -o out.npz --kernel knn --recall 0.9 --per-class 20 --transform inverse-laplacian", False),
    ("fit on a table of categories", lambda f: save_categories(f / "in.csv", 6_000, 20, 40),
     "fit in.csv -o out.npz --kernel rbf --power 2", False),
    ("fit on a wide table", lambda f: save_csv(f / "in.csv", 6, 1_000_000), "fit in.csv -o out.npz", False),
    ("fit, rbf, stored tiles", lambda f: save_points(f / "in.npz", 8_000, 20),
     "fit in.npz -o out.npz --kernel rbf --transform inverse-laplacian --ridge 0.1", True),
    ("fit, rbf, recomputed tiles", lambda f: save_points(f / "in.npz", 30_000, 100),
     "fit in.npz -o out.npz --kernel rbf --power 2 --ridge 0.1", False),
    ("fit on texts", lambda f: save_words(f / "in.npz", 6_000, 20_000, 80),
     "fit in.npz -o out.npz --kernel cosine --transform inverse-laplacian --ridge 0.1", True),
    ("neighbor graph of texts", lambda f: save_words(f / "in.npz", 20_000, 50_000, 100),
     "graph in.npz -o out.npz", False),
    ("fit on a graph", lambda f: save_graph(f / "in.npz", 500_000, 12),
     "fit in.npz -o out.npz --transform inverse-laplacian --ridge 0.1", False),
    ("fit on a graph, many labels", lambda f: save_graph(f / "in.npz", 100_000, 12, 5_000),
     "fit in.npz -o out.npz --transform inverse-laplacian --ridge 0.1", True),
    ("kernel PCA of a graph", lambda f: save_graph(f / "in.npz", 60_000, 12),
     "fit in.npz -o out.npz --method kernel-pca --d 64", False),
    ("fit with a precomputed kernel", lambda f: save_kernel(f / "in.npz", 5_000),
     "fit in.npz -o out.npz --kind kernel --transform inverse-laplacian --ridge 0.1", True),
]


def run(stkr, folder, command):
    """Return the exit code, output and peak memory in bytes."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.dup2(write, 1)
        os.execv(stkr, [str(stkr), *command.split(), "--json"])
    os.close(write)
    with os.fdopen(read) as out:
        text = out.read()
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), text, usage.ru_maxrss * 1024


def planned(document):
    if "planned_bytes" in document:
        return document["planned_bytes"]
    value = next(c["value"] for c in document["choices"] if c["what"] == "memory")
    number, unit = re.match(r"about ([\d.]+) (\w+) of", value).groups()
    return float(number) * UNITS[unit]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stkr", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--make", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        name, folder = options.make
        next(make for case, make, _, _ in CASES if case == name)(pathlib.Path(folder))
        return
    failed = []
    print("| run | planned | peak | planned/peak |\n| --- | --- | --- | --- |")
    for name, _, command, quick in CASES:
        if not quick and not options.all:
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            subprocess.run([sys.executable, __file__, options.stkr, "--make", name, folder], check=True)
            code, text, peak = run(options.stkr.resolve(), folder, command)
        if code not in (0, 4):
            failed.append(f"{name}: exit code {code}")
            continue
        plan = planned(json.loads(text))
        print(f"| {name} | {plan / 1e6:.0f} MB | {peak / 1e6:.0f} MB | {plan / peak:.2f} |", flush=True)
        if not 1.0 <= plan / peak <= 1.3:
            failed.append(f"{name}: the plan is {plan / peak:.2f} times the peak")
    for line in failed:
        print(line, file=sys.stderr)
    sys.exit(bool(failed))


main()
