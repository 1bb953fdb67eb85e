#!/usr/bin/python3
"""Compares the memory planned by `stkr plan` with the peak memory of the runs.

    cmake --preset release && cmake --build --preset release --target stkr_command
    /usr/bin/python3 bench/plan.py [--folder DIR] [--scale 1.0] [--only NAME] [--json]

Every case is generated, planned with --json, and run; the peak is the maximum resident set size that the
operating system reports when the process ends. Goal: measured <= planned <= 2 x measured from 100 MB on.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/stkr"


def points(path, samples, features, labeled, classes):
    random = np.random.default_rng(1)
    label = random.integers(0, classes, samples)
    centers = random.standard_normal((classes, features))
    x = 0.7 * random.standard_normal((samples, features)) + centers[label]
    label[labeled:] = -1
    label[:classes] = np.arange(classes)
    np.savez(path, X=x, labels=label)


def graph(path, nodes, entries, labeled, classes):
    random = np.random.default_rng(1)
    half = entries // 2
    label = np.arange(nodes) * classes // nodes
    start = random.integers(0, nodes, half)
    # Most edges stay within a neighborhood, so that classes can be separated.
    end = (start + random.integers(1, max(nodes // (4 * classes), 2), half)) % nodes
    a = scipy.sparse.coo_matrix((np.ones(half), (start, end)), shape=(nodes, nodes)).tocsr()
    a = a.maximum(a.T).tocsr()
    a.sort_indices()
    seen = np.full(nodes, -1)
    kept = random.permutation(nodes)[:labeled]
    seen[kept] = label[kept]
    np.savez(
        path,
        adj_data=a.data,
        adj_indices=a.indices,
        adj_indptr=a.indptr,
        adj_shape=np.array(a.shape),
        labels=seen,
    )


def kernel(path, samples, labeled, classes):
    random = np.random.default_rng(1)
    label = random.integers(0, classes, samples)
    x = random.standard_normal((samples, 10)) + 3 * random.standard_normal((classes, 10))[label]
    square = (x**2).sum(axis=1)
    k = np.exp(-0.05 * (square[:, None] + square[None, :] - 2 * x @ x.T))
    label[labeled:] = -1
    label[:classes] = np.arange(classes)
    np.savez(path, K=(k + k.T) / 2, labels=label)


FIXED = ["--kernel", "rbf", "--transform", "inverse-laplacian", "--ridge", "0.1"]


def cases(scale):
    n = lambda count: int(count * scale)
    small = lambda path: points(path, n(8000), 64, 100, 10)
    wide = lambda path: points(path, n(20000), 784, 100, 10)
    sparse = lambda path: graph(path, n(300000), n(6000000), 200, 10)
    given = lambda path: kernel(path, n(6000), 60, 3)
    return {
        "points 8,000 x 64, kept": (small, ["fit"], FIXED),
        "points 8,000 x 64, 200 MB": (small, ["fit"], [*FIXED, "--memory", "200MB"]),
        "points 2,500 x 64, factorized": (
            lambda path: points(path, n(2500), 64, 100, 10), ["fit"], FIXED),
        "points 20,000 x 784, kernel ridge": (wide, ["fit"], ["--method", "kernel-ridge"]),
        "points 20,000 x 784, power 2, 500 MB": (
            wide, ["fit"], ["--kernel", "rbf", "--power", "2", "--ridge", "0.1", "--memory", "500MB"]),
        "points 8,000 x 64, kernel PCA": (small, ["fit"], ["--method", "kernel-pca", "--d", "32"]),
        "graph 300,000, 6e6 entries": (sparse, ["fit"], FIXED[2:]),
        "graph 300,000, symmetric, minres": (
            sparse, ["fit"], ["--kernel", "symmetric", "--solver", "minres", *FIXED[2:]]),
        "graph 300,000, label propagation": (sparse, ["fit"], ["--method", "label-propagation"]),
        "graph 300,000, 400 MB": (sparse, ["fit"], [*FIXED[2:], "--memory", "400MB"]),
        "kernel 6,000": (given, ["fit"], [*FIXED[2:], "--kind", "kernel"]),
        "select, points 8,000 x 64": (
            small, ["select"], ["--families", "power,inverse-laplacian,label-propagation"]),
        "select, graph 300,000": (
            sparse, ["select"], ["--families", "power,inverse-laplacian", "--etas", "0.9,0.99"]),
        "select, graph 30,000, all": (
            lambda path: graph(path, n(30000), n(600000), 200, 10), ["select"], []),
    }


def peak_of(arguments):
    """Run a command and return (exit code, peak resident bytes)."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 4):
        print(error, file=sys.stderr)
    return code, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM, type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, help="for the data (default: a temporary folder)")
    parser.add_argument("--scale", default=1.0, type=float, help="factor for samples and entries")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"{options.program} is missing; build the target stkr_command")
    results = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        data = pathlib.Path(folder) / "data.npz"
        for name, (make, command, arguments) in cases(options.scale).items():
            if options.only not in name:
                continue
            # In a separate process, because a child starts with the resident set of its parent.
            child = os.fork()
            if child == 0:
                make(data)
                os._exit(0)
            os.waitpid(child, 0)
            select = ["--select"] if command == ["select"] else []
            planned = subprocess.run(
                [options.program, "plan", data, *select, *arguments, "--json"],
                capture_output=True, text=True,
            )
            plan = json.loads(planned.stdout)
            if plan["chosen"] is None:
                print(f"{name}: nothing fits", file=sys.stderr)
                continue
            chosen = plan["strategies"][plan["chosen"]]
            output = [] if select else ["-o", data.with_name("model.npz")]
            code, peak = peak_of([options.program, *command, data, *output, *arguments])
            results.append(
                {
                    "case": name,
                    "strategy": chosen["name"],
                    "phase": chosen["phase"],
                    "planned": chosen["bytes"],
                    "measured": peak,
                    "ratio": chosen["bytes"] / peak,
                    "exit": code,
                }
            )
            if not options.json:
                r = results[-1]
                good = 1.0 <= r["ratio"] <= 2.0 or peak < 100e6
                print(
                    f"{name:40} {r['planned'] / 1e6:8.0f} MB planned {peak / 1e6:8.0f} MB measured"
                    f"  {r['ratio']:5.2f} {'' if good else '!'}  exit {code}  "
                    f"{r['strategy']}, {r['phase']}",
                    flush=True,
                )
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
